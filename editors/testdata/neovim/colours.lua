-- Writes the syntax group of each byte of the specs in the file $SIPC_SPECS, a path a line, as JSON by path and line.
vim.opt.runtimepath:append(vim.env.SIPC_PLUGIN)
vim.cmd("filetype off | filetype plugin on | syntax on")
vim.o.synmaxcol = 0
local seen = {}
for path in io.lines(vim.env.SIPC_SPECS) do
  vim.cmd("edit " .. vim.fn.fnameescape(path))
  local groups = {}
  for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
    local names = {}
    for column = 1, #line do
      names[column] = vim.fn.synIDattr(vim.fn.synID(row, column, 1), "name")
    end
    groups[row] = names
  end
  seen[path] = groups
end
vim.fn.writefile({ vim.json.encode(seen) }, vim.env.SIPC_SEEN)
vim.cmd("qall!")
