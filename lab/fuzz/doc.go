// Package fuzz runs a campaign of random inputs against the whole program: specs with data, models, polar problems and
// messages of editors. Every case is drawn from one number, its seed, and can be run again alone.
//
// A case counts as a fault if it panics, takes too long, or misses a gap without a word. So does a certificate that
// arithmetic of 400 bits refutes.
package fuzz
