using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// Parses the whole body of <c>POST /v1/erasures</c> (docs/spec/erasure.md section 4) before anything else happens, so that a malformed
/// body changes nothing. Works like <see cref="UpdateRequestParser"/>.
/// </summary>
internal ref struct ErasureRequestParser
{
    private static readonly JsonMembers s_members = new("request_id", "key", "key_b64", "user", "user_b64", "from", "to", "period");

    private readonly Configuration _log;
    private readonly CallerRights _caller;
    private StrictJsonReader _reader;

    private ErasureRequestParser(ReadOnlySpan<byte> body, Configuration log, CallerRights caller)
    {
        _log = log;
        _caller = caller;
        _reader = new StrictJsonReader(body);
    }

    /// <summary>
    /// Parses a body. Refuses it if it names a key or user that the caller does not own. The result keeps no reference to the body.
    /// </summary>
    public static ParsedRequests Parse(ReadOnlySpan<byte> body, Configuration log, CallerRights caller)
    {
        var parser = new ErasureRequestParser(body, log, caller);
        return ParsedRequests.Read(
            ref parser._reader, ref parser, static (ref ErasureRequestParser one, int? index) => one.ParseRequest(index));
    }

    private ParsedErasure ParseRequest(int? index)
    {
        Guid? requestId = null;
        byte[]? key = null;
        byte[]? user = null;
        string name = "";
        ulong? from = null;
        ulong? to = null;
        ulong? period = null;
        _reader.StartObject(s_members);
        while (_reader.TryNextMember(out int member))
        {
            switch (member)
            {
                case 0:
                    requestId = _reader.ReadRequestId();
                    break;
                case 1 or 2:
                    key = _reader.ReadKey("key", member == 2, key, _log.MaxKeyLength);
                    name = member == 2 ? "key_b64" : "key";
                    if (!_caller.Owns(key))
                    {
                        throw new ProblemException(CallerRights.NotOwn(_reader.Path));
                    }
                    break;
                case 3 or 4:
                    user = _reader.ReadKey("user", member == 4, user, _log.MaxKeyLength);
                    name = member == 4 ? "user_b64" : "user";
                    if (!_caller.IsOwnUser(user))
                    {
                        throw new ProblemException(CallerRights.NotOwnUser(_reader.Path));
                    }
                    break;
                case 5:
                    from = Version();
                    break;
                case 6:
                    to = Version();
                    break;
                default:
                    period = _reader.ReadInteger();
                    break;
            }
        }
        if (key is null == user is null)
        {
            throw _reader.FailAt("key", ProblemTypes.MalformedRequest, "Exactly one of key and user must be given.");
        }
        return new ParsedErasure(index, requestId, Order(user is not null, period, from, to).ToItem(key ?? user!), name);
    }

    private ulong Version() => _reader.ReadInteger() is var version and > 0 ? version : throw _reader.Fail("Versions begin at 1.");

    private readonly ErasureOrder Order(bool isOfUser, ulong? period, ulong? from, ulong? to)
    {
        if (from is null && to is null && isOfUser)
        {
            // An element without versions erases everything of a user, and must not name a period.
            return period is null
                ? ErasureOrder.OfUser
                : throw _reader.FailAt("period", ProblemTypes.MalformedRequest, "A period belongs to versions: give from and to as well.");
        }
        ulong first = from ?? throw _reader.FailMissing("from");
        ulong last = to ?? throw _reader.FailMissing("to");
        ulong counted = period ?? throw _reader.FailMissing("period");
        return first > last ? throw _reader.FailAt("to", ProblemTypes.MalformedRequest, "The last version is before the first.")
            : last - first >= ErasureOrder.MaxValues
                ? throw _reader.FailAt("to", ProblemTypes.RangeTooLarge, $"An erasure may name at most {ErasureOrder.MaxValues} versions.")
            : new ErasureOrder(isOfUser ? StructureId.Devices : StructureId.Keys, first, last) { Period = counted };
    }
}
