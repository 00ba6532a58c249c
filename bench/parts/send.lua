-- For wrk, run in this folder: POST /api/messages. Arguments: FILE START of messaging keys, one on each line, which take
-- turns, and how many numbers each message goes to. All numbers are such that the simulator delivers at once.

dofile("load.lua")

local requests = {}
local position = 0
local distinct = 1000

local function body(first, count)
  local numbers = {}
  for index = 1, count do numbers[index] = string.format('"+86138%04d0000"', (first + index) % 10000) end
  return '{"mobiles":[' .. table.concat(numbers, ",") .. '],"content":"Your code is 123456"}'
end

function init(arguments)
  local tokens = {}
  for line in io.lines(arguments[1]) do tokens[#tokens + 1] = line end
  local count = tonumber(arguments[3])
  for index = 1, distinct do
    local headers = {
      ["Authorization"] = "Bearer " .. tokens[index % #tokens + 1],
      ["Content-Type"] = "application/json",
    }
    requests[index] = wrk.format("POST", nil, headers, body(index * count, count))
  end
  position = tonumber(arguments[2])
end

function request()
  position = position % distinct + 1
  return requests[position]
end
