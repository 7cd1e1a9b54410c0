package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// A typed package is one of the module, with the meaning of its names.
type typedPackage struct {
	fset  *token.FileSet
	files []*ast.File // in the order of names
	info  *types.Info
	types *types.Package
	path  string // without the module's

	module string
}

// file returns the name of the file that declares obj, or "" if the package does not.
func (p *typedPackage) file(obj types.Object) string {
	if obj == nil || obj.Pkg() != p.types {
		return ""
	}
	return filepath.Base(p.fset.Position(obj.Pos()).Filename)
}

// generated returns the names of the files that programs wrote.
func (p *typedPackage) generated() map[string]bool {
	out := map[string]bool{}
	for _, f := range p.files {
		if ast.IsGenerated(f) {
			out[filepath.Base(p.fset.Position(f.Pos()).Filename)] = true
		}
	}
	return out
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles                       []string
	DepOnly                       bool
	Module                        *struct{ Path string }
	Error                         *struct{ Err string }
}

// loadPackages types every package of the module at root from its source, and what it imports from the build cache.
func loadPackages(ctx context.Context, root string) ([]*typedPackage, error) {
	all, err := list(ctx, root)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, l := range all {
		exports[l.ImportPath] = l.Export
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no compiled package %s", path)
		}
		return os.Open(exports[path])
	})
	var out []*typedPackage
	for _, l := range all {
		if l.DepOnly || l.Module == nil || len(l.GoFiles) == 0 {
			continue
		}
		p, err := check(fset, imports, l)
		if err != nil {
			return nil, err
		}
		if !isTestProgram(p.path+"/main.go", p.files[0]) {
			out = append(out, p)
		}
	}
	return out, nil
}

// list compiles the packages of the module and returns them and what they import.
func list(ctx context.Context, root string) ([]*listed, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-export", "-json=ImportPath,Name,Dir,Export,GoFiles,DepOnly,Module,Error", "./...")
	cmd.Dir = root
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, complaints.Bytes())
	}
	var out []*listed
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		l := &listed{}
		if err := d.Decode(l); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		if l.Error != nil {
			return nil, errors.New(l.Error.Err)
		}
		out = append(out, l)
	}
}

func check(fset *token.FileSet, imports types.Importer, l *listed) (*typedPackage, error) {
	p := &typedPackage{fset: fset, path: relative(l), module: l.Module.Path, info: &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
	}
	var err error
	p.types, err = (&types.Config{Importer: imports}).Check(l.ImportPath, fset, p.files, p.info)
	return p, err
}

// relative returns the import path without the module's.
func relative(l *listed) string {
	if l.ImportPath == l.Module.Path {
		return "."
	}
	return l.ImportPath[len(l.Module.Path)+1:]
}
