package wire

import (
	gproto "google.golang.org/protobuf/proto"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// DataSum returns the digest of a data set.
func DataSum(d *plugins.Data) (Sum, error) {
	p := newPlace()
	err := SendData(d, add[*proto.DataPart](p))
	return p.sum(), err
}

// DomainSum returns the digest of a call of Expand on data of a digest.
func DomainSum(data Sum, c *plugins.DomainCall) (Sum, error) {
	p := newPlace()
	p.write(data[:])
	err := SendDomainCall(0, c, add[*proto.CallPart](p))
	return p.sum(), err
}

// MapSum returns the digest of a call of Map on data of a digest.
func MapSum(data Sum, c *plugins.MapCall) (Sum, error) {
	p := newPlace()
	p.write(data[:])
	err := SendMapCall(0, c, add[*proto.CallPart](p))
	return p.sum(), err
}

// add returns what adds messages to a digest.
func add[M gproto.Message](p *place) func(M) error {
	return func(m M) error {
		raw, err := gproto.MarshalOptions{Deterministic: true}.Marshal(m)
		p.number(int64(len(raw)))
		p.write(raw)
		return err
	}
}
