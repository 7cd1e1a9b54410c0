---@type vim.lsp.Config
return {
  cmd = { "sipc", "lsp" },
  filetypes = { "sipc" },
  root_markers = { "sipc.lock", ".git" },
  init_options = { data = "" }, -- the file whose columns are completed and checked, relative to the spec
}
