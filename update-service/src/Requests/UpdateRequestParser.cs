using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// Parses the whole body of <c>POST /v1/updates</c> (docs/spec/rest.md section 5) before anything else happens, so that a malformed body
/// changes nothing. Refuses a body by a <see cref="ProblemException"/> with the JSON path of the field.
/// </summary>
internal ref struct UpdateRequestParser
{
    private static readonly JsonMembers s_requestMembers = new(
        "request_id", "key", "key_b64", "value", "value_b64", "expected", "items", "receipt");
    private static readonly JsonMembers s_itemMembers = new("key", "key_b64", "value", "value_b64", "expected");

    // Arrays that all requests with one update share, to save allocations.
    private static readonly bool[] s_text = [false];
    private static readonly bool[] s_octets = [true];

    private readonly Configuration _log;
    private readonly CallerRights _caller;
    private StrictJsonReader _reader;

    private UpdateRequestParser(ReadOnlySpan<byte> body, Configuration log, CallerRights caller)
    {
        _log = log;
        _caller = caller;
        _reader = new StrictJsonReader(body);
    }

    /// <summary>Parses a body. Refuses it if it names a key that the caller does not own. The result keeps no reference to the
    /// body.</summary>
    public static ParsedRequests Parse(ReadOnlySpan<byte> body, Configuration log, CallerRights caller)
    {
        var parser = new UpdateRequestParser(body, log, caller);
        return ParsedRequests.Read(
            ref parser._reader, ref parser, static (ref UpdateRequestParser one, int? index) => one.ParseRequest(index));
    }

    private ParsedUpdate ParseRequest(int? index)
    {
        Guid? requestId = null;
        List<AcceptItem>? items = null;
        List<bool>? keyMembers = null;
        bool wantsReceipt = false;
        var update = new UpdateMembers();
        _reader.StartObject(s_requestMembers);
        while (_reader.TryNextMember(out int member))
        {
            switch (member)
            {
                case 0:
                    requestId = _reader.ReadRequestId();
                    break;
                case 6:
                    items = Items(keyMembers = []);
                    break;
                case 7:
                    wantsReceipt = _reader.ReadTrue();
                    break;
                default:
                    Update(ref update, member - 1);
                    break;
            }
        }
        if (items is not null && update.FirstMember is not null)
        {
            throw _reader.FailAt(update.FirstMember, ProblemTypes.MalformedRequest, "The member is not allowed together with items.");
        }
        bool isAtomic = items is not null;
        items ??= [ToItem(in update)];
        if (wantsReceipt && items.Exists(item => item.Expected is not null))
        {
            throw _reader.FailAt("receipt", ProblemTypes.MalformedRequest,
                "An update with an expected version may be refused, so no receipt can promise to publish it.");
        }
        return new ParsedUpdate(index, requestId, isAtomic, items,
            keyMembers ?? (IReadOnlyList<bool>)(update.IsKeyOctets ? s_octets : s_text))
        { WantsReceipt = wantsReceipt };
    }

    private List<AcceptItem> Items(List<bool> keyMembers)
    {
        var items = new List<AcceptItem>();
        var keys = new HashSet<UpdateKey>();
        BoundedList list = BoundedList.Start(ref _reader, Limits.ItemsPerRequest, "items");
        while (list.TryNext(ref _reader, items.Count))
        {
            var update = new UpdateMembers();
            _reader.StartObject(s_itemMembers);
            while (_reader.TryNextMember(out int member))
            {
                Update(ref update, member);
            }
            AcceptItem item = ToItem(in update);
            if (!keys.Add(new UpdateKey(item.Structure, item.Key)))
            {
                throw _reader.FailAt(update.IsKeyOctets ? "key_b64" : "key", ProblemTypes.DuplicateKey,
                    "The key is in an earlier item of this request.");
            }
            items.Add(item);
            keyMembers.Add(update.IsKeyOctets);
        }
        return items;
    }

    /// <summary>Reads the value of one member of an update; the member's number is an index into <see cref="s_itemMembers"/>.</summary>
    private void Update(ref UpdateMembers update, int member)
    {
        switch (member)
        {
            case 0 or 1:
                update.IsKeyOctets = member == 1;
                update.Key = _reader.ReadKey("key", update.IsKeyOctets, update.Key, _log.MaxKeyLength);
                if (!_caller.Owns(update.Key))
                {
                    throw new ProblemException(CallerRights.NotOwn(_reader.Path));
                }
                update.FirstMember ??= update.IsKeyOctets ? "key_b64" : "key";
                break;
            case 2 or 3:
                update.Value = _reader.ReadValue(member == 3, update.Value, _log.MaxValueLength);
                update.FirstMember ??= member == 3 ? "value_b64" : "value";
                break;
            default:
                update.Expected = _reader.ReadExpected();
                update.FirstMember ??= "expected";
                break;
        }
    }

    private readonly AcceptItem ToItem(in UpdateMembers update) => new(
        StructureId.Keys, update.Key ?? throw _reader.FailMissingOneOf("key"), update.Value ?? throw _reader.FailMissingOneOf("value"),
        update.Expected);

    /// <summary>Holds the members of one update that were read so far.</summary>
    private struct UpdateMembers
    {
        public byte[]? Key;
        public bool IsKeyOctets;
        public byte[]? Value;
        public ExpectedVersion? Expected;
        public string? FirstMember;
    }
}
