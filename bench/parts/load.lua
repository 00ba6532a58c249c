-- For wrk: prints the outcome as one line of JSON. With the arguments FILE and START each request carries the next
-- token of the file, from line START + 1 on; without them wrk sends one constant request, which costs it less.

local tokens = {}
local position = 0
local head, tail

local function next_request()
  position = position % #tokens + 1
  return head .. tokens[position] .. tail
end

function init(arguments)
  if #arguments == 0 then return end
  for line in io.lines(arguments[1]) do tokens[#tokens + 1] = line end
  position = tonumber(arguments[2]) % #tokens
  wrk.headers["Authorization"] = "Bearer @"
  local text = wrk.format()
  local at = text:find("@", 1, true)
  head, tail = text:sub(1, at - 1), text:sub(at + 1)
  request = next_request
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"failures":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status,
    latency:percentile(50), latency:percentile(99)))
end
