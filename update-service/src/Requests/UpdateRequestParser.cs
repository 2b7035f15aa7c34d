using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// UpdateRequestParser reads the body of <c>POST /v1/updates</c> (docs/spec/rest.md section 5) whole before anything is done with it: what is malformed changes nothing.
/// Refusals are <see cref="ProblemException"/> with the JSON path of the field.
/// </summary>
internal ref struct UpdateRequestParser
{
    /// <summary>MaxBodyLength in octets.</summary>
    public const long MaxBodyLength = ProtocolLimits.MaxUpdateBody;

    /// <summary>MaxListLength of elements.</summary>
    public const int MaxListLength = ProtocolLimits.MaxList;

    private static readonly JsonMembers s_requestMembers = new("request_id", "key", "key_b64", "value", "value_b64", "expected", "items");
    private static readonly JsonMembers s_itemMembers = new("key", "key_b64", "value", "value_b64", "expected");
    private static readonly JsonMembers s_expectedMembers = new("period", "version");

    // Of a request that is one update.
    private static readonly bool[] s_text = [false];
    private static readonly bool[] s_octets = [true];

    private readonly int _maxKeyLength;
    private readonly long _maxValueLength;
    private readonly CallerRights _caller;
    private StrictJsonReader _reader;

    private UpdateRequestParser(ReadOnlySpan<byte> body, LogLimits.Lengths limits, CallerRights caller)
    {
        _caller = caller;
        _reader = new StrictJsonReader(body);
        _maxKeyLength = limits.MaxKey;
        _maxValueLength = limits.MaxValue;
    }

    /// <summary>Parse reads a body of a caller, who must own each key of it; the result keeps nothing of it.</summary>
    public static ParsedUpdates Parse(ReadOnlySpan<byte> body, LogLimits.Lengths limits, CallerRights caller)
    {
        var parser = new UpdateRequestParser(body, limits, caller);
        bool isList = parser._reader.IsArray;
        ParsedUpdates updates = new(isList, isList ? parser.List() : [parser.Request(index: null)]);
        parser._reader.End();
        return updates;
    }

    private List<ParsedRequest> List()
    {
        string path = _reader.Path;
        var requests = new List<ParsedRequest>();
        _reader.StartArray();
        while (_reader.TryNextElement())
        {
            if (requests.Count == MaxListLength)
            {
                throw BatchLength(path, $"The list may have {MaxListLength} elements.");
            }
            requests.Add(Request(requests.Count));
        }
        return requests.Count > 0 ? requests : throw BatchLength(path, "The list is empty.");
    }

    private ParsedRequest Request(int? index)
    {
        Guid? requestId = null;
        List<AcceptItem>? items = null;
        List<bool>? keyMembers = null;
        var update = new UpdateMembers();
        _reader.StartObject(s_requestMembers);
        while (_reader.TryNextMember(out int member))
        {
            switch (member)
            {
                case 0:
                    requestId = RequestId();
                    break;
                case 6:
                    items = Items(keyMembers = []);
                    break;
                default:
                    Update(ref update, member - 1);
                    break;
            }
        }
        return items is null ? new ParsedRequest(index, requestId, IsAtomic: false, [Item(in update)], update.IsKeyOctets ? s_octets : s_text)
            : update.FirstMember is null ? new ParsedRequest(index, requestId, IsAtomic: true, items, keyMembers!)
            : throw _reader.FailAt(update.FirstMember, ProblemTypes.MalformedRequest, "The member cannot stand beside items.");
    }

    private List<AcceptItem> Items(List<bool> keyMembers)
    {
        string path = _reader.Path;
        var items = new List<AcceptItem>();
        var keys = new HashSet<UpdateKey>();
        _reader.StartArray();
        while (_reader.TryNextElement())
        {
            if (items.Count == Limits.ItemsPerRequest)
            {
                throw BatchLength(path, $"An atomic request may have {Limits.ItemsPerRequest} items.");
            }
            var update = new UpdateMembers();
            _reader.StartObject(s_itemMembers);
            while (_reader.TryNextMember(out int member))
            {
                Update(ref update, member);
            }
            AcceptItem item = Item(in update);
            if (!keys.Add(new UpdateKey(item.Structure, item.Key)))
            {
                throw _reader.FailAt(update.IsKeyOctets ? "key_b64" : "key", ProblemTypes.DuplicateKey, "The key stands in an earlier item of this request.");
            }
            items.Add(item);
            keyMembers.Add(update.IsKeyOctets);
        }
        return items.Count > 0 ? items : throw BatchLength(path, "An atomic request has at least one item.");
    }

    /// <summary>Update reads one of <see cref="s_itemMembers"/>.</summary>
    private void Update(ref UpdateMembers update, int member)
    {
        switch (member)
        {
            case 0 or 1:
                if (update.Key is not null)
                {
                    throw _reader.Fail("One of key and key_b64 is given, not both.");
                }
                update.IsKeyOctets = member == 1;
                update.Key = update.IsKeyOctets ? _reader.ReadOctets() : _reader.ReadText().ToArray();
                if (update.Key.Length == 0 || update.Key.Length > _maxKeyLength)
                {
                    throw _reader.Fail(ProblemTypes.KeyLength, $"A key has 1 to {_maxKeyLength} octets.");
                }
                if (!_caller.Owns(update.Key))
                {
                    throw new ProblemException(CallerRights.NotOwn(_reader.Path));
                }
                update.FirstMember ??= update.IsKeyOctets ? "key_b64" : "key";
                break;
            case 2 or 3:
                if (update.Value is not null)
                {
                    throw _reader.Fail("One of value and value_b64 is given, not both.");
                }
                update.Value = member == 3 ? _reader.ReadOctets() : _reader.ReadText().ToArray();
                if (update.Value.Length > _maxValueLength)
                {
                    throw _reader.Fail(ProblemTypes.ValueLength, $"A value has at most {_maxValueLength} octets.");
                }
                update.FirstMember ??= member == 3 ? "value_b64" : "value";
                break;
            default:
                update.Expected = Expected();
                update.FirstMember ??= "expected";
                break;
        }
    }

    private readonly AcceptItem Item(in UpdateMembers update)
    {
        if (update.Key is null)
        {
            throw _reader.FailAt("key", ProblemTypes.MalformedRequest, "One of key and key_b64 must be given.");
        }
        if (update.Value is null)
        {
            throw _reader.FailAt("value", ProblemTypes.MalformedRequest, "One of value and value_b64 must be given.");
        }
        return new AcceptItem(StructureId.Keys, update.Key, update.Value, update.Expected);
    }

    private Guid RequestId()
    {
        Guid id = _reader.ReadUuid();
        return !RequestIds.IsVersion7(id) ? throw _reader.Fail("The string is not a UUID of version 7.")
            : RequestIds.Time(id) == DateTimeOffset.MaxValue ? throw _reader.Fail(ProblemTypes.RequestIdTime, "The id's time is beyond the year 9999.")
            : id;
    }

    private ExpectedVersion Expected()
    {
        ulong? period = null;
        ulong? version = null;
        _reader.StartObject(s_expectedMembers);
        while (_reader.TryNextMember(out int member))
        {
            if (member == 0)
            {
                period = _reader.ReadInteger();
            }
            else
            {
                version = _reader.ReadInteger();
            }
        }
        return new ExpectedVersion(
            period ?? throw _reader.FailAt("period", ProblemTypes.MalformedRequest, "The member is missing."),
            version ?? throw _reader.FailAt("version", ProblemTypes.MalformedRequest, "The member is missing."));
    }

    private static ProblemException BatchLength(string path, string detail) => new(new Problem(ProblemTypes.BatchLength, detail, path));

    /// <summary>UpdateMembers are those of one update, as far as they were seen.</summary>
    private struct UpdateMembers
    {
        public byte[]? Key;
        public bool IsKeyOctets;
        public byte[]? Value;
        public ExpectedVersion? Expected;
        public string? FirstMember;
    }
}
