// Package proto is the contract of package plugins on the wire: family.proto, and the Go code that is generated from it.
// Authors in other languages generate theirs from the same file.
package proto

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative family.proto
