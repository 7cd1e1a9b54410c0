if vim.fn.has("nvim-0.11") == 0 then
  return
end
vim.lsp.enable("sipc")
vim.api.nvim_create_autocmd("LspAttach", {
  group = vim.api.nvim_create_augroup("sipc", {}),
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if not client or client.name ~= "sipc" then
      return
    end
    vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    if vim.g.sipc_format_on_save then
      vim.api.nvim_create_autocmd("BufWritePre", {
        buffer = event.buf,
        callback = function()
          vim.lsp.buf.format({ bufnr = event.buf, id = client.id })
        end,
      })
    end
  end,
})
