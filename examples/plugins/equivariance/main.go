// Command sipc-family-equivariance serves a family of one domain, swapped(column): each row after two changes of a column, made in one
// order and in the other. Between them a prediction should hardly differ where the order is an accident.
//
//	go build -trimpath -buildvcs=false -o examples/plugins/equivariance/sipc-family-equivariance ./examples/plugins/equivariance
package main

import "github.com/sipc-ml/sipc/plugins/sdk"

func main() { sdk.Serve(equivariance{}) }
