---@type vim.lsp.Config
return {
  cmd = { "sipc", "lsp" },
  filetypes = { "sipc" },
  root_markers = { "sipc.lock", ".git" },
  -- data: whose columns are completed, relative to the spec; plugins: may pinned programs of families be asked what they add
  init_options = { data = "", plugins = false },
}
