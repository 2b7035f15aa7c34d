using System.Runtime.InteropServices;

namespace Optiks.Native;

internal static unsafe partial class Interop
{
    [StructLayout(LayoutKind.Sequential)]
    public struct Anchor
    {
        public byte* Configuration;
        public nuint ConfigurationLen;
        public Octets32 LogPublicKey;
        public ulong Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Context
    {
        public Anchor Anchor;
        public ulong NowMs;
        public ulong KeptSize;
        public Octets32 KeptRoot;
        public byte* KeptRecord;
        public byte* KeptPeriodRecord;
        public byte* EndedRecord;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Known
    {
        public ulong LeastEpoch;
        public ulong Period;
        public ulong Version;
        public ulong Time;
        public ulong AbsentEpoch;
        public ulong PageVersion;
        public uint HasAbsent;
        public uint Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct End
    {
        public ulong Period;
        public ulong LastEpoch;
        public ulong Version;
        public Octets32 ValueSha256;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct HeadResult
    {
        public ulong Epoch;
        public ulong Period;
        public ulong PeriodFirstEpoch;
        public ulong TimeMs;
        public ulong Size;
        public Octets32 Root;
        public nuint RecordOffset;
        public nuint CheckpointOffset;
        public nuint CheckpointLen;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct LookupResult
    {
        public ulong Version;
        public ulong Time;
        public ulong LeafEpoch;
        public nuint ValueOffset;
        public nuint ValueLen;
        public int HasValue;
        public int BeginsWithCopy;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct VersionEntry
    {
        public ulong Version;
        public ulong LeafEpoch;
        public ulong Time;
        public nuint ValueOffset;
        public nuint ValueLen;
        public int HasValue;
        public int Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct VersionsResult
    {
        public ulong Version;
        public ulong From;
        public nuint NumEntries;
        public int Complete;
        public int Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct UserState
    {
        public ulong LeastEpoch;
        public nuint NumKeys;
        public uint HasLeft;
        public uint Generation;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct UserResult
    {
        public ulong Epoch;
        public ulong LargestEpoch;
        public ulong DevicesEpoch;
        public nuint UserOffset;
        public nuint UserLen;
        public LookupResult Devices;
        public nuint NumDevices;
        public int Kind;
        public uint Generation;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct DeviceResult
    {
        public nuint IdOffset;
        public nuint IdLen;
        public ulong RecordEpoch;
        public LookupResult Key;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct OwnKeyResult
    {
        public nuint IdOffset;
        public nuint IdLen;
        public VersionsResult Versions;
        public int IdIsBrought;
        public int Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct VersionsVerdict
    {
        public HeadResult Head;
        public VersionsResult* Results;
        public VersionEntry* Entries;
        public nuint EntriesCapacity;
        public nuint NumEntries;
        public nuint Failed;
        public int Reason;
        public int Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct UsersVerdict
    {
        public HeadResult Head;
        public nuint RecordOffset;
        public UserResult* Users;
        public DeviceResult* Devices;
        public nuint DevicesCapacity;
        public nuint NumDevices;
        public nuint Failed;
        public int Reason;
        public int Reserved;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct UserMonitorVerdict
    {
        public HeadResult Head;
        public VersionsResult List;
        public OwnKeyResult* Keys;
        public nuint KeysCapacity;
        public nuint NumKeys;
        public VersionEntry* Entries;
        public nuint EntriesCapacity;
        public nuint NumEntries;
        public int Reason;
        public int HasLeft;
    }

    [LibraryImport(Library)]
    public static partial int optiks_verify_anchor(in Anchor anchor, out int reason, Span<byte> logId);

    [LibraryImport(Library)]
    public static partial int optiks_verify_head(
        in Context context, ReadOnlySpan<byte> head, nuint headLength, out int reason, out HeadResult result);

    [LibraryImport(Library)]
    public static partial int optiks_verify_lookup(
        in Context context, nuint n, ReadOnlySpan<byte> keys, ReadOnlySpan<ulong> keyOffsets, ReadOnlySpan<Known> known,
        ReadOnlySpan<byte> answer, nuint answerLength,
        out int reason, out nuint failed, out HeadResult head, Span<LookupResult> results);

    [LibraryImport(Library)]
    public static partial int optiks_verify_versions(
        in Context context, nuint n, ReadOnlySpan<byte> keys, ReadOnlySpan<ulong> keyOffsets, ReadOnlySpan<Known> known,
        ReadOnlySpan<byte> answer, nuint answerLength, ref VersionsVerdict verdict);

    [LibraryImport(Library)]
    public static partial int optiks_verify_users(
        in Context context, nuint n, ReadOnlySpan<byte> strings, ReadOnlySpan<ulong> stringOffsets, ReadOnlySpan<UserState> states,
        ReadOnlySpan<Known> known, ReadOnlySpan<byte> answer, nuint answerLength, ref UsersVerdict verdict);

    [LibraryImport(Library)]
    public static partial int optiks_verify_user_monitor(
        in Context context, in UserState state, nuint numNames, ReadOnlySpan<byte> strings, ReadOnlySpan<ulong> stringOffsets,
        ReadOnlySpan<Known> known, ReadOnlySpan<byte> answer, nuint answerLength, ref UserMonitorVerdict verdict);

    [LibraryImport(Library)]
    public static partial int optiks_verify_periods(
        in Context context, ulong period, ReadOnlySpan<byte> answer, nuint answerLength, out int reason, out HeadResult head,
        Span<nuint> bounds, nuint boundsCapacity,
        out nuint numBounds);

    [LibraryImport(Library)]
    public static partial int optiks_verify_handover(
        in HeadResult head, VersionEntry* firstEntry, ReadOnlySpan<byte> answer, nuint answerLength, in End end, out int reason);

    [LibraryImport(Library)]
    public static partial int optiks_verify_audit(
        in Context context, ReadOnlySpan<byte> storedRecord, ReadOnlySpan<byte> periodRecord, ReadOnlySpan<byte> proof, nuint proofLength,
        out int reason,
        Span<byte> newRecord, out uint structures);

    [LibraryImport(Library)]
    public static partial int optiks_judge_leaves(
        in Anchor anchor, ReadOnlySpan<byte> first, nuint firstLength, ReadOnlySpan<byte> second, nuint secondLength, out int reason);

    [LibraryImport(Library)]
    public static partial int optiks_verify_record(
        in Anchor anchor, ReadOnlySpan<byte> record, ReadOnlySpan<byte> kept, ReadOnlySpan<byte> keptPeriodRecord, out int reason);

    [LibraryImport(Library)]
    public static partial int optiks_verify_checkpoint(
        in Anchor anchor, ReadOnlySpan<byte> note, nuint noteLength, out int reason, out ulong size, Span<byte> root);

    [LibraryImport(Library)]
    public static partial int optiks_verify_inclusion(
        ulong index, ulong size, ReadOnlySpan<byte> leafHash, ReadOnlySpan<byte> root, ReadOnlySpan<byte> proof, nuint numHashes,
        out int ok);

    [LibraryImport(Library)]
    public static partial int optiks_verify_consistency(
        ulong oldSize, ulong newSize, ReadOnlySpan<byte> oldRoot, ReadOnlySpan<byte> newRoot, ReadOnlySpan<byte> proof, nuint numHashes,
        out int ok);
}
