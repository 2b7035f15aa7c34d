-- wrk's side of measure_lookups.py: POST requests for keys prefix<first> .. prefix<first+count-1>, in an order that takes each key once before any comes again.
-- usage: wrk ... -s lookups.lua URL -- binary|json PATH PREFIX FIRST COUNT START
-- COUNT is a power of two; START is the place in that order, so that a run can go on where another ended.

local key_of, position, count, headers, path, encode

-- docs/spec/rest.md section 4: QueryList of one Query, without a known version.
local function binary(key)
  local length = 1 + #key + 16
  return string.char(math.floor(length / 65536), math.floor(length / 256) % 256, length % 256, #key) .. key .. string.rep("\0", 16)
end

local function json(key)
  return '{"key":"' .. key .. '"}'
end

function init(arguments)
  local form, prefix, first = arguments[1], arguments[3], tonumber(arguments[4])
  path, count, position = arguments[2], tonumber(arguments[5]), tonumber(arguments[6])
  encode = form == "json" and json or binary
  headers = form == "json" and { ["Content-Type"] = "application/json", ["Accept"] = "application/json" }
    or { ["Content-Type"] = "application/vnd.optiks.query", ["Accept"] = "application/vnd.optiks.lookup" }
  -- An odd factor permutes the numbers below a power of two; this one, near the golden ratio's share of 2^20, leaves no short steps.
  key_of = function(i) return prefix .. string.format("%d", first + (i * 648055) % count) end
end

function request()
  position = position + 1
  return wrk.format("POST", path, headers, encode(key_of(position)))
end
