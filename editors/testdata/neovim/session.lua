-- A person's session in Neovim with the server: she opens a spec, mends it, asks, types, and leaves. The folder of the plugin is
-- $SIPC_PLUGIN. What she saw goes into the file $SIPC_SEEN as JSON, for the Go test to judge.
local seen = {}

local function write_and_quit()
  vim.fn.writefile({ vim.json.encode(seen) }, vim.env.SIPC_SEEN)
  vim.cmd("qall!")
end

-- wait waits for a condition and fails the session by name where it does not come.
local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then
    error("waited 20 s for " .. what .. ", with " .. vim.inspect(vim.diagnostic.get(0)))
  end
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, true)
end

-- find puts the cursor on a text in the buffer, or so many bytes behind its beginning.
local function find(text, behind)
  for row, line in ipairs(lines()) do
    local at = line:find(text, 1, true)
    if at then
      vim.api.nvim_win_set_cursor(0, { row, at - 1 + (behind or 0) })
      return
    end
  end
  error("the buffer lacks " .. text)
end

local function replace(text, with)
  for row, line in ipairs(lines()) do
    local from, to = line:find(text, 1, true)
    if from then
      vim.api.nvim_buf_set_text(0, row - 1, from - 1, row - 1, to, { with })
      return
    end
  end
  error("the buffer lacks " .. text)
end

-- faults returns the diagnostics with the texts that they underline, which tell whether columns are counted rightly.
local function faults()
  return vim.tbl_map(function(d)
    return { code = tostring(d.code), text = vim.api.nvim_buf_get_text(0, d.lnum, d.col, d.end_lnum, d.end_col, {})[1] }
  end, vim.diagnostic.get(0))
end

-- faulty waits until the diagnostics have these codes, in order of the alphabet, and returns them.
local function faulty(codes)
  wait("the diagnostics " .. codes, function()
    local found = vim.tbl_map(function(f) return f.code end, faults())
    table.sort(found)
    return table.concat(found, " ") == codes
  end)
  return faults()
end

local function ask(method, params)
  local answers, problem = vim.lsp.buf_request_sync(0, method, params, 20000)
  local _, answer = next(answers or {})
  if problem or not answer or answer.error or answer.err then
    error(method .. ": " .. vim.inspect(problem or answer))
  end
  return answer.result
end

local function at_cursor(more)
  return vim.tbl_extend("force", vim.lsp.util.make_position_params(0, "utf-16"), more or {})
end

local function completed()
  local result = ask("textDocument/completion", at_cursor())
  return vim.tbl_map(function(item) return item.label end, result.items or result)
end

-- choose takes the code action whose title has a text, as a person does from the list, and returns all titles.
local function choose(text)
  local titles
  vim.ui.select = function(items, _, on_choice)
    titles = vim.tbl_map(function(item) return (item[2] or item.action).title end, items)
    for i, title in ipairs(titles) do
      if title:find(text, 1, true) then
        return on_choice(items[i])
      end
    end
  end
  local before = table.concat(lines(), "\n")
  vim.lsp.buf.code_action()
  wait("the change of " .. text, function() return table.concat(lines(), "\n") ~= before end)
  return titles
end

local function fix_all()
  local whole = vim.lsp.util.make_given_range_params({ 1, 0 }, { #lines(), 0 }, 0, "utf-16")
  whole.context = { diagnostics = {}, only = { "source.fixAll" } }
  for _, action in ipairs(ask("textDocument/codeAction", whole)) do
    vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
  end
end

-- start starts the server by the file that Neovim 0.11 reads itself, and returns its number and its ends.
local function start()
  local ends = {}
  local config = vim.tbl_extend("force", dofile(vim.env.SIPC_PLUGIN .. "/lsp/sipc.lua"), {
    name = "sipc",
    root_dir = vim.fn.getcwd(),
    on_exit = function(code, signal) table.insert(ends, { code = code, signal = signal }) end,
  })
  local id = vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(0, id)
  return id, ends
end

local function session()
  vim.opt.runtimepath:append(vim.env.SIPC_PLUGIN)
  vim.cmd("filetype off | filetype plugin on | syntax on | edit houses.inv")
  seen.filetype, seen.comment = vim.bo.filetype, vim.bo.commentstring
  local server, ends = start()

  seen.opened = faulty("E116 E401 E551")
  fix_all()
  seen.fixed = lines()
  faulty("E401")
  find("-(rms")
  seen.offered = choose("|f|")
  faulty("")

  find('"south"', 1)
  seen.values = completed()
  find("d/d(area)", 4)
  seen.columns = completed()
  find("steady")
  seen.hover = ask("textDocument/hover", at_cursor()).contents.value
  seen.references = #ask("textDocument/references", at_cursor({ context = { includeDeclaration = true } }))
  find("step * |")
  local found = ask("textDocument/definition", at_cursor())
  seen.definition = lines()[(found[1] or found).range.start.line + 1]

  find("steady")
  vim.lsp.buf.rename("calm")
  wait("the new name", function() return table.concat(lines(), "\n"):find("2 * calm", 1, true) end)

  replace('"south"', '"𝒔outh" $')
  seen.typed = faulty("E102")
  replace('"𝒔outh" $', '   "south"')
  faulty("")
  vim.lsp.util.apply_text_edits(ask("textDocument/formatting", vim.lsp.util.make_formatting_params()), 0, "utf-16")
  seen.formatted = lines()

  -- Not forced: the server gets shutdown and exit, and has to end by itself.
  vim.lsp.stop_client(server)
  wait("the end of the server", function() return #ends > 0 end)
  seen.ended = ends[1]
end

local ok, problem = pcall(session)
seen.problem = not ok and tostring(problem) or nil
vim.fn.writefile({ vim.json.encode(seen) }, vim.env.SIPC_SEEN)
vim.cmd("qall!")
