package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/topos-notebook/topos/kernel/verify"
	"github.com/topos-notebook/topos/topos"
)

// verify carries out %verify: it records the cells anew, in the order in
// which they stand, in a tape of their own that is dropped, and compares its dump and its
// names with the session's. Where they differ the cell fails.
func (t *transaction) verify(ctx context.Context) error {
	clean, _, err := t.attempt.rerecorded(ctx, nil)
	if err != nil {
		return fmt.Errorf("the cells cannot be recorded in a clean tape: %w", err)
	}
	line, err := within(ctx, func() (string, error) {
		here, there := t.attempt.describe(), clean.describe()
		if here == there {
			return "", nil
		}
		return verify.OtherLine(here, there), nil
	})
	if err != nil {
		return err
	}
	if line != "" {
		return errors.New("in a clean tape the cells record another dump: " + line + "; %tape says where this one stands")
	}
	_, _, nodes := t.attempt.header()
	return t.showWithin(ctx, &topos.Reading{Kind: topos.TextReading, Text: fmt.Sprintf("verified: recorded in a clean tape, the cells give the same dump, %s\n", counted(nodes, "node"))})
}
