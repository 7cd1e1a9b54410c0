//go:build !windows

package whole

import (
	"os"
	"os/exec"
	"syscall"
)

// move is a script for pairs of words: a file and its place, or nothing and a file that goes.
const move = `while [ $# -gt 0 ]; do
	if [ "$1" ]; then mv -f -- "$1" "$2" || exit; else rm -f -- "$2" || exit; rmdir -- "${2%/*}" 2>/dev/null; fi
	shift 2
done`

// moveAnyway lets a shell put files into their places, as far as there is one. It goes on where this process is killed meanwhile:
// the files of two runs are never mixed. It holds the files and their folder, too.
func moveAnyway(files []*File, folder *os.File) {
	shell := &exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", move, "sh"},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, ExtraFiles: []*os.File{folder},
	}
	for _, f := range files {
		for _, path := range f.old {
			shell.Args = append(shell.Args, "", path)
		}
	}
	for _, f := range files {
		shell.Args = append(shell.Args, f.Name(), f.path)
		shell.ExtraFiles = append(shell.ExtraFiles, f.File)
	}
	_ = shell.Run() // what it leaves is for the caller
}

// rename puts a file into its place while it is held.
func (f *File) rename() error { return os.Rename(f.Name(), f.path) }
