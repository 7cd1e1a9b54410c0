package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/sipc-ml/sipc/internal/clitest"
)

// digits writes images of 28×28 pixels, blots whose place and size depend on the class, with their labels, as MNIST has them.
func digits(ts *testscript.TestScript, neg bool, args []string) {
	clitest.Want(ts, neg, args, 2, "digits DIR COUNT")
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	rng := rand.New(rand.NewPCG(1, 1))
	head := func(magic uint32, sizes ...int) []byte {
		out := binary.BigEndian.AppendUint32(nil, magic)
		for _, s := range sizes {
			out = binary.BigEndian.AppendUint32(out, uint32(s))
		}
		return out
	}
	images, labels := head(0x803, count, 28, 28), head(0x801, count)
	for i := range count {
		class := i % 10
		labels = append(labels, byte(class))
		for y := range 28 {
			for x := range 28 {
				dy, dx := y-8-class, x-18+class
				v := rng.IntN(40)
				if dy*dy+dx*dx < 12+2*class {
					v += 180
				}
				images = append(images, byte(v))
			}
		}
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(writeGzip(filepath.Join(dir, "train-images-idx3-ubyte.gz"), images))
	ts.Check(writeGzip(filepath.Join(dir, "train-labels-idx1-ubyte.gz"), labels))
	ts.Check(writeGzip(filepath.Join(dir, "t10k-images-idx3-ubyte.gz"), images))
	ts.Check(writeGzip(filepath.Join(dir, "t10k-labels-idx1-ubyte.gz"), labels))
}

// topics writes rows of a taxonomy of six labels, 0 above 1 and 2, 1 above 3 and 4, 2 above 5, as multilabel LIBSVM.
func topics(ts *testscript.TestScript, neg bool, args []string) {
	clitest.Want(ts, neg, args, 2, "topics FILE COUNT")
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for i := range count {
		b.WriteString([]string{"0,1,3", "0,1,4", "0,2,5", "0,2"}[i%4])
		for j := range 6 {
			fmt.Fprintf(&b, " %d:%.3f", j+1, rng.NormFloat64()+float64(i%4*(j%3)))
		}
		b.WriteByte('\n')
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(writeGzip(path, b.Bytes()))
}

// genes writes rows of two features and a hierarchy of five classes, as ARFF.
func genes(ts *testscript.TestScript, neg bool, args []string) {
	clitest.Want(ts, neg, args, 2, "genes FILE COUNT")
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	rng := rand.New(rand.NewPCG(5, 6))
	var b bytes.Buffer
	b.WriteString("@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute class hierarchical 1/1,1/2,2,2/1\n@data\n")
	for i := range count {
		fmt.Fprintf(&b, "%.3f,%.3f,%s\n", rng.NormFloat64()+float64(i%4), rng.NormFloat64(), []string{"1/1", "1/2@2", "2/1", "2"}[i%4])
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(writeGzip(path, b.Bytes()))
}

func writeGzip(path string, content []byte) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(content); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}
