vim.filetype.add({ extension = { inv = "sipc" } })
