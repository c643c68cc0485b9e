-- Opens robots.txt in the working directory with `robots lsp`, uses everything that the server offers, and prints the results as
-- JSON Lines. The first argument of the server's command is in the variable ROBOTS_PROGRAM.

local function show(name, value)
  io.stdout:write(vim.json.encode({ name, value }) .. "\n")
end

-- Waits for a condition; without it, the session fails.
local function wait(name, condition)
  if not vim.wait(60000, condition, 10) then
    show("timeout", name)
    vim.cmd("cquit 3")
  end
end

local function codes()
  local list = {}
  for _, found in ipairs(vim.diagnostic.get(0)) do
    table.insert(list, { found.lnum, found.col, found.user_data.lsp.code, found.severity })
  end
  return list
end

local function buffer()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

-- Returns the result of a request about the buffer, with more parameters.
local function request(method, more)
  local params = vim.tbl_extend("error", { textDocument = vim.lsp.util.make_text_document_params() }, more or {})
  local responses, failure = vim.lsp.buf_request_sync(0, method, params, 60000)
  assert(not failure, failure)
  for _, response in pairs(responses) do
    assert(not response.error, vim.inspect(response.error))
    return response.result
  end
end

local function position(line, character)
  return { position = { line = line, character = character } }
end

vim.cmd("edit robots.txt")
local exit_code = nil
local client_id = vim.lsp.start_client({
  name = "robots",
  cmd = { vim.env.ROBOTS_PROGRAM, "lsp" },
  root_dir = vim.fn.getcwd(),
  on_exit = function(code) exit_code = code end,
})
vim.lsp.buf_attach_client(0, client_id)

-- The findings of the file as it was opened.
wait("diagnostics", function() return #vim.diagnostic.get(0) == 2 end)
show("diagnostics", codes())
local client = vim.lsp.get_client_by_id(client_id)
show("encoding", client.offset_encoding)

-- A fix, as the menu of an editor applies it.
local range = { start = { line = 2, character = 0 }, ["end"] = { line = 2, character = 7 } }
local actions = request("textDocument/codeAction", { range = range, context = { diagnostics = {} } })
local titles = {}
for _, action in ipairs(actions) do table.insert(titles, action.title) end
show("actions", titles)
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
show("fixed", buffer())
wait("the finding is gone", function() return #vim.diagnostic.get(0) == 1 end)
show("diagnostics after the fix", codes())

-- Typing: Neovim sends the changed part. The line has an astral character and a tab.
vim.api.nvim_buf_set_lines(0, 3, 4, false, { "Disalow: /\u{1f916}\tx" })
wait("the new finding", function() return #vim.diagnostic.get(0) > 0 and codes()[1][3] == "R012" end)
show("diagnostics after typing", codes())

local hover = request("textDocument/hover", position(1, 3))
show("hover", vim.split(hover.contents.value, "\n")[1])
hover = request("textDocument/hover", position(3, 2))
show("hover of the finding", string.match(hover.contents.value, "### [^\n]*"))

local completion = request("textDocument/completion", position(4, 14))
local labels = {}
for _, item in ipairs(completion.items) do
  if vim.startswith(item.label, "Goo") then table.insert(labels, item.label) end
end
show("completion", labels[1])

local symbols = request("textDocument/documentSymbol")
local names = {}
for _, symbol in ipairs(symbols) do
  local rules = {}
  for _, rule in ipairs(symbol.children or {}) do table.insert(rules, rule.name) end
  table.insert(names, { symbol.name, rules })
end
show("symbols", names)
show("folds", #request("textDocument/foldingRange"))

-- All fixes at once.
range = { start = { line = 0, character = 0 }, ["end"] = { line = 9, character = 0 } }
actions = request("textDocument/codeAction", {
  range = range,
  context = { diagnostics = {}, only = { "source.fixAll" } },
})
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
show("all fixed", buffer())

vim.lsp.stop_client(client_id)
wait("the end of the server", function() return exit_code ~= nil end)
show("exit code", exit_code)
vim.cmd("qall!")
