package language

// Drawn is how many elements a program draws from seeds, capped.
func (p *Program) Drawn() int {
	const most = 1 << 30
	drawn := 0
	for _, l := range p.lines {
		if l.source == nil || l.source.given {
			continue
		}
		volume := 1
		for _, x := range l.source.shape {
			volume = min(most, volume*max(1, min(x, most)))
		}
		drawn = min(most, drawn+volume)
	}
	return drawn
}
