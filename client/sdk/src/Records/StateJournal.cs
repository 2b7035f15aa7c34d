using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Stores the records of one log's state in a journal, to which each commit is appended (docs/spec/client-state.md section 5). It does not
/// look into the bodies of records, other than meta. Only one thread at a time may use it.
/// </summary>
/// <remarks>
/// Invariants. (1) The file consists of a header and of whole commits, the last of which writes meta. A crash may leave the beginning of
/// one more commit, which the next start cuts off. (2) The records in memory are those of the whole commits, or no commit can follow. (3)
/// A commit is on disk before <see cref="Commit"/> returns.
/// </remarks>
internal sealed class StateJournal : IDisposable
{
    // A snapshot consists of commits of about this length, so that compaction needs little memory.
    private const int SnapshotLength = 1 << 20;

    // Below this length a journal is not worth a rewrite.
    private const long MinCompaction = 1 << 16;

    private readonly IJournalFile _file;
    private readonly byte[] _logId;
    private RecordIndex _index = new();
    private byte[] _check;
    private long _length;
    private long _compactAt = MinCompaction;
    private bool _isBroken;

    private StateJournal(IJournalFile file, ReadOnlySpan<byte> logId)
    {
        _file = file;
        _logId = logId.ToArray();
        _check = JournalFormat.GetHeaderCheck(JournalFormat.EncodeHeader(logId));
    }

    /// <summary>The number of commits that made the state; 0 before the first commit.</summary>
    public ulong Revision { get; private set; }

    /// <summary>The number of octets in the file.</summary>
    public long Length => _length;

    /// <summary>The keys of all records other than meta.</summary>
    public IEnumerable<RecordKey> Keys => _index.Keys.Where(key => key != RecordKey.Meta);

    /// <summary>
    /// Reads a journal; it is empty if there is no file yet. Cuts off the beginning of a commit that a crash left. Throws
    /// <see cref="ClientStateException"/>, and changes nothing, if the file belongs to another log or is damaged in any other way.
    /// </summary>
    public static StateJournal Open(IJournalFile file, ReadOnlySpan<byte> logId)
    {
        var journal = new StateJournal(file, logId);
        if (file.Length is not null)
        {
            journal.Load();
        }
        return journal;
    }

    /// <summary>Reads the body of a record, and checks that it is the one that was written; null if there is no such record.</summary>
    public byte[]? Read(RecordKey key)
    {
        if (_index.Find(key) is not { } place)
        {
            return null;
        }
        byte[] body = Take(place.Offset, place.Length);
        if (!RecordHash.HashRecord(key, body).AsSpan().SequenceEqual(place.Hash))
        {
            _isBroken = true;
            throw CreateDamaged($"the record {key} changed since this program read it");
        }
        return body;
    }

    /// <summary>
    /// Makes all of these changes or none. They are on disk when the call returns. If the call throws, none was made. Throws
    /// <see cref="ClientStateException"/> if the changes are longer than a commit may be, or if an earlier failure left the file in a state
    /// to which nothing may be appended.
    /// </summary>
    public void Commit(IEnumerable<RecordPut> puts, IEnumerable<RecordKey> deletes)
    {
        RecordChanges changes = RecordChanges.Sort(puts, deletes);
        var meta = new StateMeta(_logId, Revision + 1, _index.ComputeSetHash(changes));
        changes = RecordChanges.Sort(changes.Puts.Prepend(new RecordPut(RecordKey.Meta, meta.Encode())), changes.Deletes);
        if (changes.GetLength() > JournalFormat.MaxChanges)
        {
            throw new ClientStateException(
                $"A change of the client state has {changes.GetLength()} octets, more than the {JournalFormat.MaxChanges} that fit, so {_file.Path} keeps the state before it.");
        }
        byte[] octets = changes.Encode();
        byte[] frame = JournalFormat.EncodeFrame(_check, octets);
        if (_length == 0)
        {
            // The file appears with its first commit, so that no journal is without one.
            byte[] header = JournalFormat.EncodeHeader(_logId);
            _file.Replace([header, frame]);
            _length = header.Length;
        }
        else
        {
            Append(frame);
        }
        _ = Apply(_index, octets, _length + JournalFormat.HeadLength);
        _length += frame.Length;
        _check = JournalFormat.GetCheck(frame);
        Revision = meta.Revision;
        CompactIfWorthwhile();
    }

    /// <summary>Rewrites the file, so that it has only live records. The state and its revision stay as they are.</summary>
    public void Compact()
    {
        var index = new RecordIndex();
        long length = 0;
        byte[] check = [];
        _file.Replace(EncodeSnapshot());
        (_index, _length, _check) = (index, length, check);

        IEnumerable<ReadOnlyMemory<byte>> EncodeSnapshot()
        {
            byte[] header = JournalFormat.EncodeHeader(_logId);
            length = header.Length;
            check = JournalFormat.GetHeaderCheck(header);
            yield return header;
            foreach (RecordChanges changes in CollectSnapshot())
            {
                byte[] octets = changes.Encode();
                byte[] frame = JournalFormat.EncodeFrame(check, octets);
                _ = Apply(index, octets, length + JournalFormat.HeadLength);
                length += frame.Length;
                check = JournalFormat.GetCheck(frame);
                yield return frame;
            }
        }
    }

    /// <summary>Creates the exception that says why the journal cannot be used.</summary>
    public ClientStateException CreateDamaged(string fault) =>
        new(
            $"{_file.Path} is damaged ({fault}). Restore it from a backup; deleting it makes this client forget which view of the log it has seen.");

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();

    // Meta is in the last commit of a snapshot, so that a snapshot which lost its end has no meta and is refused.
    private IEnumerable<RecordChanges> CollectSnapshot()
    {
        var puts = new List<RecordPut>();
        long length = 0;
        foreach (RecordKey key in Keys.Order())
        {
            byte[] body = Read(key)!;
            puts.Add(new RecordPut(key, body));
            length += RecordChanges.GetLength(key, body.Length);
            if (length >= SnapshotLength)
            {
                yield return new RecordChanges(puts, []);
                puts = [];
                length = 0;
            }
        }
        yield return new RecordChanges([new RecordPut(RecordKey.Meta, Read(RecordKey.Meta)!), .. puts], []);
    }

    private void CompactIfWorthwhile()
    {
        if (_length < _compactAt || _length < 2 * _index.LiveLength)
        {
            return;
        }
        try
        {
            Compact();
            _compactAt = MinCompaction;
        }
        catch (IOException)
        {
            // The commit is on disk already, and the file still has it, so the commit must not fail because there is no room for a second
            // file. The next attempt waits until the file has grown to twice its length.
            _compactAt = 2 * _length;
        }
    }

    private void Append(byte[] frame)
    {
        if (_isBroken)
        {
            throw new ClientStateException(
                $"{_file.Path} could not be read or written before, so nothing more is written to it: end this program and start it again.");
        }
        try
        {
            _file.Append(frame);
        }
        catch
        {
            // Nothing may follow a part of a commit, because the next start would then refuse the whole file.
            _isBroken = true;
            _file.Cut(_length);
            _isBroken = false;
            throw;
        }
    }

    private void Load()
    {
        long end = _file.Length!.Value;
        if (end < JournalFormat.HeaderLength)
        {
            throw CreateDamaged("its header is incomplete");
        }
        byte[] header = Take(0, JournalFormat.HeaderLength);
        if (JournalFormat.FindFault(header) is { } fault)
        {
            throw CreateDamaged(fault);
        }
        if (JournalFormat.IsLater(header))
        {
            throw new ClientStateException($"A later version of this program wrote {_file.Path}: use that version.");
        }
        if (!JournalFormat.BelongsTo(header, _logId))
        {
            throw new ClientStateException(
                $"The client state in {_file.Path} belongs to another log: use another folder, or the trust anchor of that log.");
        }
        _length = header.Length;
        bool hasMeta = false;
        while (TryTakeFrame(end, out byte[] frame))
        {
            hasMeta = Replay(frame);
            _length += frame.Length;
            _check = JournalFormat.GetCheck(frame);
        }
        if (!hasMeta)
        {
            throw CreateDamaged("it does not end in a commit that says which records there are");
        }
        if (_length < end)
        {
            _file.Cut(_length);
        }
    }

    // Returns false at the end of the file, and where a crash cut a commit off. A file system may have made the file longer and not have
    // written all of the octets, which are zeros then.
    private bool TryTakeFrame(long end, out byte[] frame)
    {
        frame = [];
        long rest = end - _length;
        if (rest < JournalFormat.HeadLength)
        {
            return false;
        }
        if (!JournalFormat.TryReadHead(_check, Take(_length, JournalFormat.HeadLength), out uint length))
        {
            return IsZero(_length + JournalFormat.HeadLength, end)
                ? false
                : throw CreateDamaged($"the length of the commit at octet {_length} does not have the right check");
        }
        if (length is 0 or > JournalFormat.MaxChanges)
        {
            throw CreateDamaged($"the commit at octet {_length} has {length} octets");
        }
        long whole = JournalFormat.HeadLength + length + JournalFormat.TailLength;
        if (rest < whole)
        {
            return false;
        }
        frame = Take(_length, (int)whole);
        return JournalFormat.IsWhole(_check, frame)
            || (rest == whole && JournalFormat.IsUnwritten(frame)
                ? false
                : throw CreateDamaged($"the commit at octet {_length} does not have the right check"));
    }

    // Applies a commit, and checks it against its meta. Returns whether the commit has a meta, which the first commits of a snapshot lack.
    private bool Replay(byte[] frame)
    {
        try
        {
            RecordChanges changes = Apply(
                _index, frame.AsMemory(JournalFormat.HeadLength..^JournalFormat.TailLength), _length + JournalFormat.HeadLength);
            if (changes.Puts.Count == 0 || changes.Puts[0].Key != RecordKey.Meta)
            {
                return Revision == 0
                    ? false
                    : throw CreateDamaged($"the commit at octet {_length} does not say which records there are");
            }
            StateMeta meta = StateMeta.Decode(changes.Puts[0].Body);
            string? fault = !meta.LogId.Span.SequenceEqual(_logId) ? "is of another log"
                : Revision != 0 && meta.Revision != Revision + 1 ? $"has revision {meta.Revision} after {Revision}"
                : !meta.SetHash.Span.SequenceEqual(_index.SetHash) ? "has another set hash than the records"
                : null;
            if (fault is not null)
            {
                throw CreateDamaged($"the commit at octet {_length} {fault}");
            }
            Revision = meta.Revision;
            return true;
        }
        catch (EncodingException e)
        {
            throw CreateDamaged($"the commit at octet {_length} cannot be decoded: {e.Message}");
        }
    }

    private static RecordChanges Apply(RecordIndex index, ReadOnlyMemory<byte> octets, long offset)
    {
        RecordChanges changes = RecordChanges.Decode(octets);
        long at = offset + RecordChanges.PutsOffset;
        foreach (RecordPut put in changes.Puts)
        {
            at += RecordChanges.GetLength(put.Key, 0);
            index.Put(put.Key, new RecordPlace(at, put.Body.Length, RecordHash.HashRecord(put.Key, put.Body.Span)));
            at += put.Body.Length;
        }
        return changes.Deletes.All(index.TryDelete) ? changes : throw new EncodingException("A record is dropped that does not exist.");
    }

    private byte[] Take(long offset, int length)
    {
        byte[] octets = new byte[length];
        _file.Read(offset, octets);
        return octets;
    }

    private bool IsZero(long from, long end)
    {
        byte[] buffer = new byte[4096];
        while (from < end)
        {
            Span<byte> part = buffer.AsSpan(0, (int)Math.Min(buffer.Length, end - from));
            _file.Read(from, part);
            if (part.ContainsAnyExcept((byte)0))
            {
                return false;
            }
            from += part.Length;
        }
        return true;
    }
}
