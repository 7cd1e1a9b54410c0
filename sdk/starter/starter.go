// Package starter writes families to start from, in Go and in Python. Each has a domain, a map with its derivative,
// their tests, an example spec with data, and a README that says what to change. What it writes builds, passes its
// tests, and passes sipc plugin verify.
package starter

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/sipc-ml/sipc/sdk/python"
)

//go:embed go/*.tmpl python/*.tmpl common/*.tmpl
var templates embed.FS

// Languages returns those in which a family can be written.
func Languages() []string { return []string{"go", "python"} }

// Options say what is written.
type Options struct {
	Language string
	Name     string // of the family: a word of the language, which begins those of its domain and map
	Dir      string // the new folder
	Version  string // of the module github.com/sipc-ml/sipc, for Go
	Replace  string // a folder with the module's source to build with instead, for Go; empty: none
}

var word = regexp.MustCompile(`^[a-z][a-z0-9_]{0,40}$`)

// Write writes the family, and returns the paths of its files relative to the folder. The folder appears whole or not at all; one
// that is there already is an error.
func Write(o Options) ([]string, error) {
	if !slices.Contains(Languages(), o.Language) {
		return nil, fmt.Errorf("a family is not started in %q here, but in one of %s", o.Language, strings.Join(Languages(), ", "))
	}
	if !word.MatchString(o.Name) {
		return nil, fmt.Errorf("%q is not a name for a family: write small letters, digits and underscores, a letter first", o.Name)
	}
	if _, err := os.Lstat(o.Dir); err == nil {
		return nil, fmt.Errorf("%s is there already, and is left as it is", o.Dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files, err := render(&o)
	if err != nil {
		return nil, err
	}
	return write(o.Dir, files)
}

// render makes the files, by their paths.
func render(o *Options) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, folder := range []string{"common", o.Language} {
		entries, err := templates.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			t, err := template.ParseFS(templates, folder+"/"+e.Name())
			if err != nil {
				return nil, err
			}
			var b bytes.Buffer
			if err := t.Execute(&b, o); err != nil {
				return nil, err
			}
			files[strings.TrimSuffix(e.Name(), ".tmpl")] = b.Bytes()
		}
	}
	if o.Language != "python" {
		return files, nil
	}
	return files, fs.WalkDir(python.Package, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files[path], err = python.Package.ReadFile(path)
		return err
	})
}

// write writes files into a folder beside the new one, and gives it its name at the end.
func write(dir string, files map[string][]byte) (paths []string, err error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(parent, ".sipc-new-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	for path, content := range files {
		full := filepath.Join(folder, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(full, content, 0o644); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	if err := os.Chmod(folder, 0o755); err != nil {
		return nil, err
	}
	return paths, os.Rename(folder, dir) // fails where a folder with something in it has come meanwhile
}
