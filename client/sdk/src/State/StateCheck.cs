using System.Collections.Immutable;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Checks a state for faults (docs/spec/client-state.md section 3). The library never writes a state with a fault, so a fault means that
/// the file is damaged. The library refuses such a file when it opens it, and all later code may rely on the state.
/// </summary>
internal static class StateCheck
{
    private const int HashDigits = 64;

    /// <summary>Describes what is wrong with a client's state; null if the state has no fault.</summary>
    public static string? Fault(TrustAnchor anchor, ClientState state) =>
        (state.Head is { } head ? Fault(anchor, head) : null)
        ?? (state.Fork?.Breach is null or Reason.LeafContradicts ? null : "a fork is none, and nothing else that ends a log")
        ?? CosignedFault(anchor, state)
        ?? state.Leaves.Select(key => KeyFault(key.Key.Id) ?? LeavesFault(key.Value)).FirstOrDefault(fault => fault is not null)
        ?? state.Notes.Select(key => KeyFault(key.Key) ?? NotesFault(key.Value)).FirstOrDefault(fault => fault is not null)
        ?? (Ends(anchor, state) ? null : "period_ends are not records of the last epochs of successive periods")
        ?? state.Chains.Select(chain => KeyFault(chain.Key.Id) ?? Fault(chain.Key.Structure, chain.Value))
            .FirstOrDefault(fault => fault is not null)
        ?? state.Names.Select(name => KeyFault(name.Key) ?? Fault(anchor, name.Value)).FirstOrDefault(fault => fault is not null)
        ?? state.Persons.Select(person => KeyFault(person.Key) ?? Fault(state, person.Key, person.Value))
            .FirstOrDefault(fault => fault is not null);

    /// <summary>Describes what is wrong with an auditor's state; null if the state has no fault.</summary>
    public static string? Fault(TrustAnchor anchor, AuditState state) =>
        Fault(anchor, state.Head)
        ?? (state.FirstEpoch > EpochRecord.ReadEpoch(state.Head.Record) ? "first_epoch is behind the record" : null)
        ?? (Between(state.Switches, state.FirstEpoch, EpochRecord.ReadEpoch(state.Head.Record))
            ? null
            : "switches are not epochs that were verified, in order")
        ?? (state.Breach is { } breach && breach.Epoch <= EpochRecord.ReadEpoch(state.Head.Record)
            ? "a breach is of an epoch that was verified"
            : null);

    // Tells whether the epochs increase, and whether each one is greater than `first` and at most `last`.
    private static bool Between(IEnumerable<ulong> epochs, ulong first, ulong last)
    {
        ulong before = first;
        foreach (ulong epoch in epochs)
        {
            if (epoch <= before || epoch > last)
            {
                return false;
            }
            before = epoch;
        }
        return true;
    }

    private static string? Fault(TrustAnchor anchor, HeadState head)
    {
        if (head.Record.Length != EpochRecord.Length || LogVerifier.VerifyRecord(anchor, head.Record, []) != Reason.Valid)
        {
            return "record is not a record of the log";
        }
        if (VerifiedNote.Verify(anchor, head.Checkpoint, out VerifiedNote? note) != Reason.Valid)
        {
            return "checkpoint is not one that the log signed";
        }
        return note!.Size != head.Size || !note.Root.AsSpan().SequenceEqual(head.Root) ? "size and root are not the checkpoint's"
            : EpochRecord.ReadEpoch(head.Record) >= head.Size ? "the record is not covered by the checkpoint"
            : null;
    }

    // Each kept checkpoint must belong to this log and have its cosigner's signature, and must not be larger than the head's checkpoint.
    private static string? CosignedFault(TrustAnchor anchor, ClientState state) =>
        !state.Cosigners.All(one => IsCosigned(anchor, state.Head, one.Key, one.Value)) ? "cosigners did not sign what is kept of them"
        : state.Unaudited.Any(belief => belief.Epoch >= (state.Head?.Size ?? 0) || belief.FromEpoch > belief.Epoch)
            ? "what is not audited is not of the head's log"
        : state.Unaudited.Select(belief => (belief.Key is null ? null : KeyFault(belief.Key)) ?? HashFault(belief.ValueSha256))
            .FirstOrDefault(fault => fault is not null);

    private static bool IsCosigned(TrustAnchor anchor, HeadState? head, string vkey, CosignerState state)
    {
        if (!VerifierKey.TryParse(vkey, out VerifierKey? key, out _) || key.Type != SignatureType.CosignatureV1
            || key.PublicKey.SequenceEqual(anchor.LogKey.PublicKey))
        {
            return false;
        }
        return new CheckpointVerifier(anchor.LogKey, [key], Ed25519.Verifier).TryOpen(state.Checkpoint, out SignedCheckpoint? opened, out _)
            && opened.Cosignatures.Count == 1 && opened.Checkpoint.Size == state.Size
            && state.Root.AsSpan().SequenceEqual(opened.Checkpoint.Root.AsSpan()) && state.Size <= head?.Size;
    }

    // Tells whether the records of period ends in the state are of consecutive periods. The last of them must be of the period before the
    // head's period.
    private static bool Ends(TrustAnchor anchor, ClientState state)
    {
        byte[][] all = [.. state.PeriodEnds];
        if (all.Length == 0)
        {
            return true;
        }
        if (state.Head is null
            || !all.All(octets => octets.Length == EpochRecord.Length && LogVerifier.VerifyRecord(anchor, octets, []) == Reason.Valid))
        {
            return false;
        }
        EpochRecord[] records = [.. all.Append(state.Head.Record).Select(octets => EpochRecord.Decode(octets))];
        return Enumerable.Range(1, all.Length)
            .All(i => records[i].Period == records[i - 1].Period + 1 && records[i].PeriodFirstEpoch == records[i - 1].Epoch + 1);
    }

    private static string? LeavesFault(ImmutableArray<KeptLeaf> leaves) =>
        leaves.Count(leaf => leaf.IsPresent) > LeafRules.MaxVersions || leaves.Count(leaf => !leaf.IsPresent) > 1
            ? "more statements are kept of a key than there may be"
        : leaves.Select(leaf => HashFault(leaf.Sha256)).FirstOrDefault(fault => fault is not null);

    private static string? NotesFault(ImmutableArray<KeptNote> notes) =>
        NoteRules.Fault(notes) ?? notes.Select(note => HashFault(note.ValueSha256)).FirstOrDefault(fault => fault is not null);

    private static string? HandoverFault(Reason? reason) =>
        reason is null or Reason.HandoverUnset or Reason.HandoverMissing or Reason.HandoverValue
            ? null
            : "an alarm about a hand-over has another reason";

    private static string? Fault(Missed missed) => missed.FromEpoch > missed.ToEpoch ? "no guarantee is told for no epoch" : null;

    private static string? Fault(StructureId structure, Chain chain) =>
        structure is not (StructureId.Devices or StructureId.Keys) ? "a chain is of a structure without versions"
        : chain is { Seen: null, Own: null } ? "a chain is empty"
        : structure == StructureId.Devices && chain.Seen is { At: { Version: 0 } or { ValueSha256: null } } ? "a device list has no version"
        : HashFault(chain.Seen?.At.ValueSha256) ?? (chain.Own is { } own ? Fault(structure, own) : null);

    private static string? Fault(StructureId structure, Own own) =>
        HashFault(own.At?.ValueSha256)
        ?? ListFault(structure, own)
        ?? own.NoGuarantee.Select(Fault).FirstOrDefault(fault => fault is not null)
        ?? own.Alarms.Select(alarm => HandoverFault(alarm.Handover) ?? HashFault(alarm.ValueSha256))
            .FirstOrDefault(fault => fault is not null)
        ?? own.Expected.Select(change => change.ValueSha256 is null == (structure == StructureId.Keys)
            ? "an expected change is of another structure"
            : HashFault(change.ValueSha256)
                ?? change.Added.Concat(change.Removed).Select(KeyFault).FirstOrDefault(fault => fault is not null))
            .FirstOrDefault(fault => fault is not null);

    private static string? ListFault(StructureId structure, Own own) => own.List is { } list
        ? structure == StructureId.Devices && own.At is { } at && DeviceList.TryDecode(list, out _) && at.ValueSha256 == ValueHash.Of(list)
            ? null
            : "an owned device list is not the one that was verified"
        : structure == StructureId.Devices && own.At is { Version: > 0 } ? "an owned device list is missing"
        : null;

    private static string? Fault(TrustAnchor anchor, NameState name) =>
        name.Generation is 0 || name.Generation is not null != (name.User is not null && anchor.Configuration.ReusesUsernames)
            ? "a generation of a username is missing, or of no user"
        : name.User is { } user ? KeyFault(user)
        : null;

    private static string? Fault(ClientState state, string user, Person person) =>
        person is { LeftEpoch: null, Own: null } ? "a user is neither owned nor has left"
        : person.LeftEpoch is not null && state.SeenOf(StructureKey.OfList(user)) is not null ? "a user who has left has a device list"
        : person.Own is not { } own ? null
        : own.Alarms.Any(alarm => alarm.Name is null != alarm.User is null) ? "an alarm about a name has no name or no user"
        : own.Names.Concat(own.Followed).Concat(own.Alarms.SelectMany(alarm => new[] { alarm.Name, alarm.User }).OfType<string>())
            .Select(KeyFault).FirstOrDefault(fault => fault is not null);

    private static string? KeyFault(string id) =>
        Base64UrlText.TryDecode(id, out byte[]? key) && key.Length is >= 1 and <= ProtocolLimits.MaxKeyLength
            ? null
            : $"a key is not base64url of 1 to {ProtocolLimits.MaxKeyLength} octets";

    // Records have the octets of a hash, so the text must be the one that is made of these octets.
    private static string? HashFault(string? hash) => hash is null || (hash.Length == HashDigits && hash.All(char.IsAsciiHexDigitLower))
        ? null
        : "a SHA-256 is not 64 hexadecimal digits";
}
