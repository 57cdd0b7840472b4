package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// GoNB keeps a cell's imports for all later cells, and has goimports take out of a
// program those that it does not use. Of an import whose names need no qualifier
// only the compiler can tell, and it says so by refusing the program.

var (
	// unusedImport is the compiler's complaint of an import: file, line and path.
	unusedImport = regexp.MustCompile(`^(?:\S*/)?(main(?:_test)?\.go):(\d+)(?::\d+)?: ("[^"]+") imported (?:as \S+ )?and not used$`)

	// importSpec is a line that imports one package and holds nothing else.
	importSpec = regexp.MustCompile(`^\s*(?:import\s+)?(?:\S+\s+)?("[^"]+")\s*$`)
)

// dropUnused takes the imports that a failed build calls unused out of the generated
// code, whose other lines keep their numbers. It is false when there are none.
func dropUnused(work, complaints string) (dropped bool) {
	unused := map[string]map[int]string{} // path by line by file
	for line := range strings.Lines(complaints) {
		parts := unusedImport.FindStringSubmatch(strings.TrimSpace(line))
		if parts == nil {
			continue
		}
		at, err := strconv.Atoi(parts[2])
		if err != nil {
			continue
		}
		if unused[parts[1]] == nil {
			unused[parts[1]] = map[int]string{}
		}
		unused[parts[1]][at] = parts[3]
	}
	for name, paths := range unused {
		path := filepath.Join(work, name)
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		lines, fewer := strings.Split(string(text), "\n"), false
		for i, line := range lines {
			if spec := importSpec.FindStringSubmatch(line); spec != nil && spec[1] == paths[i+1] {
				lines[i], fewer = "", true
			}
		}
		if fewer && os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600) == nil {
			dropped = true
		}
	}
	return dropped
}
