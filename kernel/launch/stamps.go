package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// maxStamps bounds how many files of local packages are looked at in each
// build: beyond, the go command does that better.
const maxStamps = 2000

// stampsOf identifies the files of the packages of the local topos module that
// a link uses, and the module's own go.mod. It returns false when that cannot
// be done.
func stampsOf(configuration, work string) ([]stamp, bool) {
	source := os.Getenv(protocol.SourceVariable)
	module := localModule(work, source)
	if module == "" {
		return nil, true
	}
	folders := map[string]bool{}
	for line := range strings.Lines(configuration) {
		path, ok := strings.CutPrefix(line, "packagefile ")
		path, _, _ = strings.Cut(path, "=")
		if !ok || path != module && !strings.HasPrefix(path, module+"/") {
			continue
		}
		if path == module {
			return nil, false // its folder is the whole module
		}
		folders[filepath.Join(source, filepath.FromSlash(strings.TrimPrefix(path, module+"/")))] = true
	}
	var stamps []stamp
	add := func(path string, info fs.FileInfo) {
		stamps = append(stamps, stamp{path, info.Size(), info.ModTime().UnixNano()})
	}
	info, err := os.Stat(filepath.Join(source, "go.mod"))
	if err != nil {
		return nil, false
	}
	add("go.mod", info)
	for folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, false
		}
		for _, e := range entries {
			info, err := os.Stat(filepath.Join(folder, e.Name()))
			if err != nil || len(stamps) == maxStamps {
				return nil, false
			}
			if !info.IsDir() {
				add(filepath.Join(folder, e.Name()), info)
				continue
			}
			// An embedded file may lie deeper; packages there stand for themselves.
			if !folders[filepath.Join(folder, e.Name())] && !addTree(filepath.Join(folder, e.Name()), &stamps) {
				return nil, false
			}
		}
	}
	slices.SortFunc(stamps, func(a, b stamp) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(stamps), true
}

// addTree identifies every file below a folder.
func addTree(folder string, stamps *[]stamp) bool {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if len(*stamps) >= maxStamps {
			return fs.SkipAll
		}
		info, err := os.Stat(path)
		if err == nil {
			*stamps = append(*stamps, stamp{path, info.Size(), info.ModTime().UnixNano()})
		}
		return err
	})
	return err == nil && len(*stamps) < maxStamps
}
