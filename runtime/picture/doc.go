// Package picture draws curves and surfaces as SVG, and a page of HTML that shows them. It knows numbers and names, and no model.
//
// Pictures have a ground of their own, so that they are right on light and on dark pages. Colours are told apart by all eyes (Okabe and Ito
// 2008), and dashes tell functions apart without colours. The same input gives the same bytes.
//
// A surface is drawn by its level sets {z ≥ c}, those of larger c over the others. Their outlines are found cell by cell on a grid (marching
// squares; Lorensen and Cline 1987). The grid has a border below every level, so that each outline is closed.
package picture
