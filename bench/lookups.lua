-- wrk's side of measure_lookups.py: POST requests for keys prefix<first> .. prefix<first+count-1>, in an order that takes each key once before any comes again.
-- With `users` they are usernames.
-- usage: wrk ... -s lookups.lua URL -- binary|json|users PATH PREFIX FIRST COUNT START
-- COUNT is a power of two; START is the place in that order, so that a run can go on where another ended.

local key_of, position, count, headers, path, encode

-- docs/spec/rest.md section 4: a list of one query about a key or a username, without anything known. After its name a Query has 16 octets of zero, a UserQuery of all devices 21.
local function list_of_one(zeros)
  return function(name)
    local length = 1 + #name + zeros
    return string.char(math.floor(length / 65536), math.floor(length / 256) % 256, length % 256, #name) .. name .. string.rep("\0", zeros)
  end
end

local function json(key)
  return '{"key":"' .. key .. '"}'
end

local forms = {
  binary = { "application/vnd.optiks.query", "application/vnd.optiks.lookup", list_of_one(16) },
  users = { "application/vnd.optiks.user-query", "application/vnd.optiks.user-lookup", list_of_one(21) },
  json = { "application/json", "application/json", json },
}

function init(arguments)
  local form, prefix, first = forms[arguments[1]], arguments[3], tonumber(arguments[4])
  path, count, position = arguments[2], tonumber(arguments[5]), tonumber(arguments[6])
  headers, encode = { ["Content-Type"] = form[1], ["Accept"] = form[2] }, form[3]
  -- An odd factor permutes the numbers below a power of two; this one, near the golden ratio's share of 2^20, leaves no short steps.
  key_of = function(i) return prefix .. string.format("%d", first + (i * 648055) % count) end
end

function request()
  position = position + 1
  return wrk.format("POST", path, headers, encode(key_of(position)))
end
