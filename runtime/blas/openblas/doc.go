// Package openblas calls the OpenBLAS that the machine has, without cgo.
//
// It is empty unless the program is built with the tag openblas, because loading
// a shared library makes a program depend on the system's loader. It binds the
// routines as C has them; package blas gives them gonum's form.
package openblas

// Variable is the environment variable that names the library's file, where the
// loader would not find it or should not choose.
const Variable = "SIPC_OPENBLAS"
