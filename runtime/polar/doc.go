// Package polar computes embeddings: the polar operator of the norm J(V) = α‖V‖² + ρ(AV)².
package polar
