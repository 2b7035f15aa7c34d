using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Optiks.Tlog;

/// <summary>
/// Parses the text of one policy. Each instance parses only once. Names are byte strings; the parser stores each byte as one character,
/// because it only compares names and never shows them.
/// </summary>
internal sealed class PolicyParser
{
    private const string None = "none";

    // The highest depth of nested groups. Without this limit, the depth could be as large as the number of lines in the policy.
    private const int MaxDepth = 64;

    private readonly List<PolicyLog> _logs = [];
    private readonly List<PolicyWitness> _witnesses = [];
    private readonly Dictionary<string, (PolicyRule Rule, int Depth)> _names = new(StringComparer.Ordinal);
    private readonly HashSet<string> _members = new(StringComparer.Ordinal);
    private PolicyRule? _quorum;
    private bool _hasQuorum;

    /// <summary>The number of the last line that was read, counted from 1; 0 if the text was refused as a whole.</summary>
    public int Line { get; private set; }

    public TlogError Parse(ReadOnlySpan<byte> text, out TlogPolicy? policy)
    {
        policy = null;
        if (text.Length > TlogPolicy.MaxBytes)
        {
            return TlogError.TooLarge;
        }
        ReadOnlySpan<byte> rest = text;
        while (StrictText.TryTakeLine(ref rest, out ReadOnlySpan<byte> line))
        {
            Line++;
            if (IsControl(line))
            {
                return TlogError.ControlCharacter;
            }
            string[] fields = Encoding.Latin1.GetString(line).Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries);
            TlogError error = fields.Length == 0 || fields[0].StartsWith('#') ? TlogError.None : Take(fields);
            if (error != TlogError.None)
            {
                return error;
            }
        }
        if (!rest.IsEmpty)
        {
            // A last line without a newline is refused, because the file may have been cut off in the middle of a name, and the rest may be
            // another name.
            Line++;
            return TlogError.MissingFinalNewline;
        }
        if (!_hasQuorum)
        {
            Line = 0;
            return TlogError.MissingQuorum;
        }
        policy = new TlogPolicy(_logs, _witnesses, _quorum);
        return TlogError.None;
    }

    private static bool IsControl(ReadOnlySpan<byte> line)
    {
        foreach (byte octet in line)
        {
            if (octet is (< 0x20 and not (byte)'\t') or 0x7F)
            {
                return true;
            }
        }
        return false;
    }

    private TlogError Take(string[] fields) => (fields[0], fields.Length) switch
    {
        ("log", 2 or 3) => TakeLog(fields[1], fields.ElementAtOrDefault(2)),
        ("witness", 3 or 4) => TakeWitness(fields[1], fields[2], fields.ElementAtOrDefault(3)),
        ("group", >= 4) => TakeGroup(fields[1], fields[2], fields[3..]),
        ("quorum", 2) => TakeQuorum(fields[1]),
        _ => TlogError.BadPolicyLine,
    };

    private TlogError TakeLog(string vkey, string? url)
    {
        if (!TryKey(vkey, SignatureType.Ed25519, out VerifierKey? key, out TlogError error))
        {
            return error;
        }
        _logs.Add(new PolicyLog(key, Text(url)));
        return TlogError.None;
    }

    private TlogError TakeWitness(string name, string vkey, string? url)
    {
        if (!TryKey(vkey, SignatureType.CosignatureV1, out VerifierKey? key, out TlogError error))
        {
            return error;
        }
        _witnesses.Add(new PolicyWitness(key, Text(url)));
        return Define(name, new PolicyRule(key), 1);
    }

    private TlogError TakeGroup(string name, string threshold, string[] members)
    {
        var rules = new List<PolicyRule>();
        int depth = 0;
        foreach (string member in members)
        {
            if (!_names.TryGetValue(member, out (PolicyRule Rule, int Depth) named))
            {
                return TlogError.UnknownPolicyName;
            }
            if (!_members.Add(member))
            {
                return TlogError.RepeatedMember;
            }
            rules.Add(named.Rule);
            depth = Math.Max(depth, named.Depth);
        }
        ulong least = (ulong)members.Length;
        if (threshold == "any")
        {
            least = 1;
        }
        else if (threshold != "all"
            && !(StrictText.TryParseDecimal(Encoding.Latin1.GetBytes(threshold), out least) && least >= 1
                && least <= (ulong)members.Length))
        {
            return TlogError.BadThreshold;
        }
        return depth < MaxDepth ? Define(name, new PolicyRule(rules, least), depth + 1) : TlogError.PolicyTooDeep;
    }

    private TlogError TakeQuorum(string name)
    {
        if (_hasQuorum)
        {
            return TlogError.SecondQuorum;
        }
        if (name != None)
        {
            if (!_names.TryGetValue(name, out (PolicyRule Rule, int Depth) named))
            {
                return TlogError.UnknownPolicyName;
            }
            _quorum = named.Rule;
        }
        _hasQuorum = true;
        return TlogError.None;
    }

    private TlogError Define(string name, PolicyRule rule, int depth) =>
        name != None && _names.TryAdd(name, (rule, depth)) ? TlogError.None : TlogError.DuplicatePolicyName;

    // Parses a key, and refuses a public key that an earlier line already has. Otherwise one signer with two names would count as two
    // signers, and a log whose key is also a witness's key could cosign its own checkpoints.
    private bool TryKey(string vkey, SignatureType type, [NotNullWhen(true)] out VerifierKey? key, out TlogError error)
    {
        key = null;
        byte[] octets = Encoding.Latin1.GetBytes(vkey);
        error = StrictText.CheckCharacters(octets);
        if (error != TlogError.None || !VerifierKey.TryParse(Encoding.UTF8.GetString(octets), out VerifierKey? parsed, out error))
        {
            return false;
        }
        if (parsed.Type != type)
        {
            error = TlogError.WrongKeyType;
            return false;
        }
        foreach (VerifierKey other in _logs.Select(log => log.Key).Concat(_witnesses.Select(witness => witness.Key)))
        {
            if (other.PublicKey.SequenceEqual(parsed.PublicKey))
            {
                error = TlogError.DuplicateKey;
                return false;
            }
        }
        key = parsed;
        return true;
    }

    // Decodes the bytes of a URL. Bytes that are not UTF-8 become U+FFFD, which makes the URL invalid.
    private static string? Text(string? octets) => octets is null ? null : Encoding.UTF8.GetString(Encoding.Latin1.GetBytes(octets));
}
