//go:build !unix

package cells

import (
	"errors"
	"os"
)

func connect(string) (*os.File, error) { return nil, errors.ErrUnsupported }
