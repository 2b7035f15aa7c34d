using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>A question about a user. The question names what the client already knows of the user (docs/spec/users.md section 2).</summary>
/// <param name="Question">The question, with everything in the client's state that helps to answer it. Each part of the state has an epoch
/// before which the answer may not be; <see cref="UserQuestion.LeastEpoch"/> is the latest of these epochs.</param>
/// <param name="Values">Values of the known versions, by device id in base64url.</param>
internal sealed record RememberedUser(UserQuestion Question, IReadOnlyDictionary<string, byte[]> Values)
{
    /// <summary>
    /// Whether the server need not prove again that the name leads to the user. In a log that reassigns usernames, the server always shows
    /// all users of the name.
    /// </summary>
    public bool LeavesOutName => !Question.UserId.IsEmpty && Question.Generation == 0;

    /// <summary>The devices whose keys have a known version, by id in base64url.</summary>
    public required IReadOnlySet<string> LeftOut { get; init; }

    /// <summary>
    /// The earliest epoch at which an answer proved something that the server need not send again; null if the server must send everything.
    /// </summary>
    public ulong? ProvenFrom { get; private init; }

    /// <summary>
    /// The URL query that asks the question. It does not say which devices are known to have no value, because only the verifier uses this
    /// knowledge.
    /// </summary>
    public UserQuery Query => new(Question.Username)
    {
        Device = Question.Device,
        KnowsUser = !Question.UserId.IsEmpty,
        Period = Question.ListVersion.Period,
        ListVersion = Question.ListVersion.Version,
        Keys = [.. Question.Keys.Where(device => device.Key.Version > 0)
            .Select(device => new KnownDeviceKey(device.Device, device.Key.Version))],
    };

    /// <summary>Collects everything in the state that can help to answer the question.</summary>
    /// <param name="username">Username in question.</param>
    /// <param name="device">The one device that is requested; null for all devices.</param>
    /// <param name="least">The least epoch that the caller accepts.</param>
    /// <param name="seen">State of the client.</param>
    /// <param name="coverage">The auditors' coverage: the question names known versions only if auditors cover the epochs since the client
    /// verified their proofs.</param>
    /// <param name="store">Store that has the remembered values.</param>
    /// <param name="asksName">
    /// True if the server must prove again to which user the name leads. The question then names nothing that would let the server leave
    /// out this proof.
    /// </param>
    public static RememberedUser Of(
        KeyName username, KeyName? device, ulong least, ClientState seen, Coverage coverage, IClientStateStore store, bool asksName = false)
    {
        NameState? name = seen.Names.GetValueOrDefault(username.Id);
        Seen? user = name?.User is { } id ? seen.SeenOf(StructureKey.OfList(id)) : null;
        // In a log that reassigns usernames, the answer may show another user, about whom the client knows nothing.
        bool knowsVersions = name?.Generation is null;
        KnownVersion list = knowsVersions && !asksName ? KnownVersion.Of(user, coverage, store) : default;
        var leftOut = new HashSet<string>(StringComparer.Ordinal);
        var proven = new List<ulong>();
        if (list.Known.Version > 0)
        {
            proven.Add(user!.At.ProvenEpoch ?? 0);
        }
        var values = new Dictionary<string, byte[]>(StringComparer.Ordinal);
        var keys = new List<KnownDevice>();
        least = Math.Max(Math.Max(least, name?.LeastEpoch ?? 0), name?.User is { } owner ? seen.LeastEpochOfUser(owner) : 0);
        foreach (ReadOnlyMemory<byte> listed in list.Value is null ? [] : DeviceList.Decode(list.Value))
        {
            string key = Base64UrlText.Encode(listed.Span);
            if ((device is not null && device.Value.Id != key) || keys.Count == ProtocolLimits.MaxKnownKeys
                || seen.SeenOf(StructureKey.OfKey(key)) is not { } state)
            {
                continue;
            }
            least = Math.Max(least, state.LeastEpoch);
            (KnownKey version, byte[]? value) = KnownVersion.Of(state, coverage, store);
            // A question has only one period, the period of the device list. So it can name only keys whose known versions are of this
            // period. The question that the verifier gets also names devices that are known to have no value yet. The request to the server
            // does not name these devices, because only the verifier uses them.
            if (version.Period == list.Known.Period && version.AbsentEpoch is not null)
            {
                keys.Add(new KnownDevice(listed, version));
                if (version.Version > 0)
                {
                    leftOut.Add(key);
                    proven.Add(state.At.ProvenEpoch ?? 0);
                }
            }
            if (value is not null)
            {
                values[key] = value;
            }
        }
        bool bringsUser = name?.User is not null && (!knowsVersions || (!asksName && coverage.MayLeaveOut(name.ProvenEpoch ?? 0)));
        if (bringsUser && knowsVersions)
        {
            proven.Add(name!.ProvenEpoch ?? 0);
        }
        var question = new UserQuestion(username.Octets)
        {
            Device = device?.Octets ?? default,
            LeastEpoch = least,
            UserId = bringsUser ? KeyName.FromId(name!.User!) : default,
            Generation = name?.Generation ?? 0,
            HasLeft = name?.User is { } left && seen.LeftEpochOf(left) is not null,
            ListVersion = list.Known,
            List = list.Value,
            Keys = keys,
        };
        return new RememberedUser(question, values) { LeftOut = leftOut, ProvenFrom = proven.Count > 0 ? proven.Min() : null };
    }
}
