using System.Security.Cryptography;
using System.Text;

namespace Optiks.Client.Tests;

/// <summary>Tests the journal of records: commits, crashes, damage and compaction (docs/spec/client-state.md section 5).</summary>
public sealed class StateJournalTests
{
    private static readonly byte[] s_logId = SHA256.HashData("a log"u8);

    [Fact]
    public void What_was_committed_is_read_back()
    {
        var file = new MemoryJournalFile();
        StateJournal journal = StateJournal.Open(file, s_logId);
        Assert.Equal((0UL, 0), (journal.Revision, journal.Keys.Count()));
        journal.Commit([Put("a", "one"), Put("b", "two")], []);
        journal.Commit([Put("a", "three"), Put("c", "")], [Key("b")]);

        Assert.Equal("a=three c=", Show(journal));
        StateJournal reopened = StateJournal.Open(file, s_logId);
        Assert.Equal(("a=three c=", 2UL), (Show(reopened), reopened.Revision));
        Assert.Null(reopened.Read(Key("b")));
        Assert.Equal((1, 1), (file.Replacements, file.Appends));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_crash_at_any_octet_of_an_append_leaves_the_state_before_or_after_it(bool zeros)
    {
        byte[] before = Write(2).Octets;
        byte[] after = Write(3).Octets;
        Assert.True(after.AsSpan().StartsWith(before));
        int undone = 0;
        for (int length = before.Length; length <= after.Length; length++)
        {
            byte[] crashed = zeros ? [.. after[..length], .. new byte[after.Length - length]] : after[..length];
            var file = new MemoryJournalFile(crashed);
            StateJournal journal = StateJournal.Open(file, s_logId);
            bool isUndone = journal.Revision == 2;
            Assert.Equal(isUndone ? (State(2), 2UL) : (State(3), 3UL), (Show(journal), journal.Revision));
            Assert.True(!isUndone || file.Octets.AsSpan().SequenceEqual(before), $"not cut after {length} octets");
            undone += isUndone ? 1 : 0;
            // The journal goes on from there, and the next start reads the result.
            journal.Commit([Put("z", "more")], []);
            Assert.Equal(Show(journal), Show(StateJournal.Open(file, s_logId)));
        }
        Assert.InRange(undone, after.Length - before.Length - 16, after.Length - before.Length);
    }

    [Fact]
    public void Every_damaged_octet_is_noticed()
    {
        byte[] whole = Write(4).Octets;
        int[] ends = [.. Enumerable.Range(1, 4).Select(commits => Write(commits).Octets.Length)];
        for (int i = 0; i < whole.Length; i++)
        {
            foreach (byte flip in new byte[] { 0x01, 0x80, 0xFF })
            {
                byte[] damaged = [.. whole];
                damaged[i] ^= flip;
                var file = new MemoryJournalFile(damaged);
                // A crash may leave a zero at the end of an end mark too. The check proves that the commit is whole.
                if (damaged[i] == 0 && ends.Contains(i + 1))
                {
                    Assert.Equal(State(4), Show(StateJournal.Open(file, s_logId)));
                    continue;
                }
                Refuse(file, "damaged", $"octet {i} ^ {flip:x2}");
                Assert.Same(damaged, file.Octets);
            }
        }
    }

    [Fact]
    public void A_journal_cut_anywhere_has_the_state_of_a_whole_commit_or_is_refused()
    {
        byte[] whole = Write(4).Octets;
        int[] ends = [.. Enumerable.Range(1, 4).Select(commits => Write(commits).Octets.Length)];
        for (int length = 0; length < whole.Length; length++)
        {
            var file = new MemoryJournalFile(whole[..length]);
            int commits = ends.Count(end => end <= length);
            if (commits == 0)
            {
                Refuse(file, "damaged", $"{length} octets");
                Assert.Equal(length, file.Length);
            }
            else
            {
                Assert.Equal(State(commits), Show(StateJournal.Open(file, s_logId)));
            }
        }
    }

    [Fact]
    public void Commits_that_are_dropped_repeated_or_exchanged_within_the_file_are_noticed()
    {
        byte[] whole = Write(4).Octets;
        int[] ends = [.. Enumerable.Range(1, 4).Select(commits => Write(commits).Octets.Length)];
        byte[] two = whole[ends[0]..ends[1]];
        byte[] three = whole[ends[1]..ends[2]];
        byte[] four = whole[ends[2]..];
        byte[] one = whole[..ends[0]];
        Refuse(new MemoryJournalFile([.. one, .. three, .. four]), "right check", "dropped");
        Refuse(new MemoryJournalFile([.. one, .. two, .. two, .. three]), "right check", "repeated");
        Refuse(new MemoryJournalFile([.. one, .. three, .. two]), "right check", "exchanged");
        Refuse(new MemoryJournalFile([.. whole, 0xFF, .. new byte[100], 1]), "right check", "more than a journal");
    }

    [Fact]
    public void Another_log_s_journal_and_other_files_are_named()
    {
        byte[] whole = Write(1).Octets;
        byte[] other = SHA256.HashData("another log"u8);
        Assert.Contains("another log", Assert.Throws<ClientStateException>(
            () => StateJournal.Open(new MemoryJournalFile(whole), other)).Message, StringComparison.Ordinal);
        Refuse(new MemoryJournalFile(Encoding.UTF8.GetBytes(new string('{', 200))), "not a journal", "JSON");
        Refuse(new MemoryJournalFile([]), "incomplete", "empty");
        // The header of a later format has the check of all formats.
        byte[] header = JournalFormat.EncodeHeader(s_logId)[..^RecordHash.CheckLength];
        header[8] = 2;
        Refuse(new MemoryJournalFile([.. header, .. RecordHash.HashHeader(header), .. whole[JournalFormat.HeaderLength..]]),
            "later version", "format 2");
        // A commit whose meta is of another log is refused even if the header was exchanged and all checks were computed again.
        var meta = new StateMeta(other, 1, new byte[RecordHash.Length]);
        Refuse(Forge([new RecordPut(RecordKey.Meta, meta.Encode())]), "another log", "meta");
    }

    [Fact]
    public void A_commit_that_no_journal_writes_is_refused_although_its_check_is_right()
    {
        byte[] setHash = RecordHash.HashRecord(Key("a"), "\u0001one"u8);
        RecordPut meta = new(RecordKey.Meta, new StateMeta(s_logId, 1, setHash).Encode());
        Assert.Equal("a=one", Show(StateJournal.Open(Forge([meta, Put("a", "one")]), s_logId)));

        Refuse(Forge([meta, Put("a", "two")]), "set hash", "another record");
        Refuse(Forge([meta, Put("a", "one"), Put("b", "one")]), "set hash", "one more record");
        Refuse(Forge([Put("a", "one")]), "which records there are", "no meta");
        Refuse(Forge([meta, Put("b", "one"), Put("a", "one")]), "not in order", "not sorted");
        Refuse(Forge([meta, meta, Put("a", "one")]), "not in order", "twice");
        Refuse(Forge([meta, Put("a", "one")], Key("a")), "not in order", "put and dropped");
        Refuse(Forge([meta, Put("a", "one")], Key("b")), "does not exist", "dropped and not there");
        Refuse(Forge([meta, Put("a", "one")], trailing: [0]), "malformed_trailing", "more octets");
        byte[] later = [.. meta.Body.Span];
        later[0] = 2;
        Refuse(Forge([new RecordPut(RecordKey.Meta, later)]), "form", "a later form");
    }

    [Fact]
    public void Only_the_beginning_of_a_snapshot_has_commits_without_meta()
    {
        byte[] a = RecordHash.HashRecord(Key("a"), "\u0001one"u8);
        byte[] b = RecordHash.HashRecord(Key("b"), "\u0001one"u8);
        byte[] both = [.. a.Zip(b, (x, y) => (byte)(x ^ y))];
        RecordPut Meta(ulong revision, byte[] setHash) => new(RecordKey.Meta, new StateMeta(s_logId, revision, setHash).Encode());
        byte[] first = Forge([Meta(1, a), Put("a", "one")]).Octets;
        byte[] Follow(byte[] file, params RecordPut[] puts) =>
            [.. file, .. JournalFormat.EncodeFrame(JournalFormat.GetCheck(file), new RecordChanges(puts, []).Encode())];

        Refuse(new MemoryJournalFile(Follow(Follow(first, Put("b", "one")), Meta(2, both))), "which records there are", "no meta");
        // As a control, the same records in one commit with meta are read.
        Assert.Equal("a=one b=one", Show(StateJournal.Open(new MemoryJournalFile(Follow(first, Meta(2, both), Put("b", "one"))), s_logId)));
    }

    [Fact]
    public void Lengths_are_bounded_before_memory_is_taken()
    {
        byte[] header = JournalFormat.EncodeHeader(s_logId);
        byte[] before = JournalFormat.GetHeaderCheck(header);
        foreach (uint length in new uint[] { 0, JournalFormat.MaxChanges + 1, uint.MaxValue })
        {
            byte[] octets = [(byte)(length >> 24), (byte)(length >> 16), (byte)(length >> 8), (byte)length];
            byte[] head = [.. octets, .. RecordHash.HashLength(before, octets)];
            Refuse(new MemoryJournalFile([.. header, .. head, .. new byte[100]]), $"{length} octets", "length");
        }
        long allocated = GC.GetAllocatedBytesForCurrentThread();
        byte[] long27 = [0x08, 0, 0, 0];
        Refuse(new MemoryJournalFile([.. header, .. long27, .. RecordHash.HashLength(before, long27), 1]), "which records", "cut off");
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - allocated, 0, 1 << 20);
    }

    [Fact]
    public void A_commit_that_could_not_be_written_is_undone_and_the_next_one_is_made()
    {
        int length = Write(3).Octets.Length - Write(2).Octets.Length;
        for (int octets = 0; octets <= length; octets++)
        {
            MemoryJournalFile file = Write(2);
            StateJournal journal = StateJournal.Open(file, s_logId);
            file.KillsAppendAt = octets;
            Assert.Throws<KilledException>(() => Commit(journal, 3));
            Assert.Equal((State(2), 2UL), (Show(journal), journal.Revision));
            Assert.Equal(State(2), Show(StateJournal.Open(new MemoryJournalFile(file.Octets), s_logId)));
            Commit(journal, 3);
            Assert.Equal(State(3), Show(StateJournal.Open(file, s_logId)));
        }
    }

    [Fact]
    public void Nothing_follows_a_part_of_a_commit_that_cannot_be_undone()
    {
        MemoryJournalFile file = Write(2);
        StateJournal journal = StateJournal.Open(file, s_logId);
        file.KillsAppendAt = 20;
        file.FailsCut = true;
        Assert.Throws<IOException>(() => Commit(journal, 3));
        byte[] left = file.Octets;
        Assert.Contains("start it again", Assert.Throws<ClientStateException>(() => Commit(journal, 3)).Message, StringComparison.Ordinal);
        Assert.Same(left, file.Octets);
        file.FailsCut = false;
        Assert.Equal(State(2), Show(StateJournal.Open(file, s_logId)));
    }

    [Fact]
    public void A_record_that_changes_behind_the_journal_s_back_is_noticed_and_nothing_is_written_any_more()
    {
        MemoryJournalFile file = Write(2);
        StateJournal journal = StateJournal.Open(file, s_logId);
        file.Octets[file.Octets.AsSpan().IndexOf("value 2"u8)] ^= 1;
        Assert.Contains("changed since", Assert.Throws<ClientStateException>(() => Show(journal)).Message, StringComparison.Ordinal);
        Assert.Throws<ClientStateException>(() => Commit(journal, 3));
    }

    [Fact]
    public void Compaction_keeps_the_state_and_drops_what_is_dead()
    {
        MemoryJournalFile file = Write(8);
        StateJournal journal = StateJournal.Open(file, s_logId);
        long before = journal.Length;
        journal.Compact();
        Assert.Equal((State(8), 8UL), (Show(journal), journal.Revision));
        Assert.InRange(journal.Length, 1, before - 1);
        Assert.Equal(file.Length, journal.Length);
        StateJournal reopened = StateJournal.Open(file, s_logId);
        Assert.Equal((State(8), 8UL), (Show(reopened), reopened.Revision));
        Commit(reopened, 9);
        Assert.Equal((State(9), 9UL), (Show(StateJournal.Open(file, s_logId)), reopened.Revision));

        // A snapshot is written in one step, so every end that it lacks is damage and no crash.
        journal.Compact();
        for (int length = 0; length < journal.Length; length++)
        {
            Refuse(new MemoryJournalFile(file.Octets[..length]), "damaged", $"{length} octets");
        }
    }

    [Fact]
    public void A_journal_is_compacted_once_more_than_half_of_it_is_dead()
    {
        var file = new MemoryJournalFile();
        StateJournal journal = StateJournal.Open(file, s_logId);
        string value = new('x', 1000);
        for (int i = 0; i < 1000; i++)
        {
            journal.Commit([Put($"k{i % 20}", $"{value}{i}")], []);
            Assert.InRange(journal.Length, 0, 70_000);
        }
        Assert.InRange(file.Replacements, 10, 40);
        Assert.Equal((20, 1000UL), (StateJournal.Open(file, s_logId).Keys.Count(), journal.Revision));
    }

    [Fact]
    public void A_snapshot_of_many_records_is_several_commits()
    {
        var file = new MemoryJournalFile();
        StateJournal journal = StateJournal.Open(file, s_logId);
        string value = new('x', 50_000);
        journal.Commit(Enumerable.Range(0, 100).Select(i => Put($"k{i:d3}", value)), []);
        string state = Show(journal);
        journal.Compact();
        Assert.Equal((state, 1UL), (Show(StateJournal.Open(file, s_logId)), journal.Revision));
        // The first commits of the snapshot alone are not the state.
        Refuse(new MemoryJournalFile(file.Octets[..(JournalFormat.HeaderLength + 2_000_000)]), "which records", "cut");
    }

    [Fact]
    public void A_commit_stands_if_there_is_no_room_to_compact()
    {
        var file = new MemoryJournalFile();
        StateJournal journal = StateJournal.Open(file, s_logId);
        string value = new('x', 10_000);
        journal.Commit([Put("a", value)], []);
        file.FailsReplace = true;
        for (int i = 0; i < 30; i++)
        {
            journal.Commit([Put("a", $"{value}{i}")], []);
        }
        Assert.InRange(journal.Length, 300_000, 320_000);
        Assert.InRange(file.Replacements, 2, 6);
        Assert.Equal(Show(journal), Show(StateJournal.Open(file, s_logId)));
        file.FailsReplace = false;
        for (int i = 0; i < 60 && journal.Length > 100_000; i++)
        {
            journal.Commit([Put("a", $"{value}{i}")], []);
        }
        Assert.InRange(journal.Length, 1, 20_000);
    }

    [Fact]
    public void A_commit_that_is_too_long_is_not_made()
    {
        MemoryJournalFile file = Write(1);
        StateJournal journal = StateJournal.Open(file, s_logId);
        byte[] big = new byte[RecordPut.MaxBody];
        Assert.Throws<ClientStateException>(() => journal.Commit(Enumerable.Range(0, 9).Select(i => new RecordPut(Key($"b{i}"), big)), []));
        Assert.Throws<ArgumentException>(() => journal.Commit([Put("a", "1")], [Key("a")]));
        Assert.Equal((State(1), 1UL), (Show(journal), journal.Revision));
    }

    [Fact]
    public void Random_commits_and_crashes_are_read_back()
    {
        // The random numbers need no secure source, because they are not secret, and a seed makes failures repeatable.
        var random = new Random(1);
        var file = new MemoryJournalFile();
        StateJournal journal = StateJournal.Open(file, s_logId);
        var model = new SortedDictionary<string, string>(StringComparer.Ordinal);
        for (int step = 0; step < 2000; step++)
        {
            string[] names = [.. Enumerable.Range(0, random.Next(1, 6)).Select(_ => $"k{random.Next(30)}").Distinct()];
            string[] dropped = [.. names.Where(name => model.ContainsKey(name) && random.Next(3) == 0)];
            RecordPut[] puts =
                [.. names.Except(dropped).Select(name => Put(name, new string((char)('a' + random.Next(26)), random.Next(300))))];
            bool isKilled = random.Next(10) == 0;
            file.KillsAppendAt = isKilled ? random.Next(40) : null;
            try
            {
                journal.Commit(puts, dropped.Select(Key));
                foreach (RecordPut put in puts)
                {
                    model[Name(put.Key)] = Encoding.UTF8.GetString(put.Body.Span)[1..];
                }
                foreach (string name in dropped)
                {
                    model.Remove(name);
                }
            }
            catch (KilledException)
            {
            }
            file.KillsAppendAt = null;
            if (random.Next(20) == 0)
            {
                journal.Compact();
            }
            if (isKilled || random.Next(20) == 0)
            {
                journal = StateJournal.Open(file, s_logId);
            }
            Assert.Equal(string.Join(' ', model.Select(one => $"{one.Key}={one.Value}")), Show(journal));
        }
    }

    [Fact]
    public void A_journal_on_disk_survives_a_crash_at_each_step_of_a_compaction()
    {
        using var folder = new TemporaryFolder();
        string path = folder.In("journal");
        using (StateJournal journal = StateJournal.Open(new JournalFile(path), s_logId))
        {
            for (int i = 1; i <= 6; i++)
            {
                Commit(journal, i);
            }
        }
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(path));
        byte[] before = File.ReadAllBytes(path);
        using (StateJournal journal = StateJournal.Open(new JournalFile(path), s_logId))
        {
            journal.Compact();
            Commit(journal, 7);
        }
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(path));
        byte[] after = File.ReadAllBytes(path);
        Assert.Single(Directory.GetFiles(folder.Path));
        for (int length = 0; length <= after.Length; length += 37)
        {
            // The process died while it wrote the new file: before the rename, the old one counts.
            File.WriteAllBytes(path, before);
            File.WriteAllBytes(path + ".tmp", after[..length]);
            using StateJournal journal = StateJournal.Open(new JournalFile(path), s_logId);
            Assert.Equal((State(6), 6UL), (Show(journal), journal.Revision));
            Assert.Single(Directory.GetFiles(folder.Path));
        }
        File.WriteAllBytes(path, after);
        using StateJournal reopened = StateJournal.Open(new JournalFile(path), s_logId);
        Assert.Equal(State(7), Show(reopened));
    }

    [Fact]
    public void A_torn_journal_on_disk_is_cut_at_the_next_start()
    {
        using var folder = new TemporaryFolder();
        string path = folder.In("journal");
        byte[] whole = Write(3).Octets;
        File.WriteAllBytes(path, whole[..^5]);
        using (StateJournal journal = StateJournal.Open(new JournalFile(path), s_logId))
        {
            Assert.Equal(State(2), Show(journal));
            Assert.Equal(Write(2).Octets, File.ReadAllBytes(path));
            Commit(journal, 3);
        }
        Assert.Equal(whole, File.ReadAllBytes(path));
    }

    // Returns a journal with one commit with these changes, each check of which is right.
    private static MemoryJournalFile Forge(RecordPut[] puts, RecordKey? dropped = null, byte[]? trailing = null)
    {
        byte[] header = JournalFormat.EncodeHeader(s_logId);
        byte[] changes = [.. new RecordChanges(puts, dropped is { } key ? [key] : []).Encode(), .. trailing ?? []];
        return new MemoryJournalFile([.. header, .. JournalFormat.EncodeFrame(JournalFormat.GetHeaderCheck(header), changes)]);
    }

    private static void Refuse(MemoryJournalFile file, string expected, string what)
    {
        Exception? thrown = Record.Exception(() => StateJournal.Open(file, s_logId));
        Assert.True(thrown is ClientStateException, $"{what}: {thrown}");
        Assert.True(thrown!.Message.Contains(expected, StringComparison.Ordinal), $"{what}: {thrown.Message}");
    }

    private static MemoryJournalFile Write(int commits)
    {
        var file = new MemoryJournalFile();
        StateJournal journal = StateJournal.Open(file, s_logId);
        for (int i = 1; i <= commits; i++)
        {
            Commit(journal, i);
        }
        return file;
    }

    // Makes the commit of this number: it changes one record, adds one, and drops one.
    private static void Commit(StateJournal journal, int number) =>
        journal.Commit([Put("a", $"value {number}"), Put($"k{number}", $"{number}")], number > 2 ? [Key($"k{number - 2}")] : []);

    private static string State(int commits) =>
        string.Join(' ', Enumerable.Range(Math.Max(1, commits - 1), Math.Min(commits, 2)).Select(i => $"k{i}={i}")
            .Prepend($"a=value {commits}"));

    private static string Show(StateJournal journal) => string.Join(
        ' ', journal.Keys.Order().Select(key => $"{Name(key)}={Encoding.UTF8.GetString(journal.Read(key)!)[1..]}"));

    private static string Name(RecordKey key) => Encoding.UTF8.GetString(key.Octets.Span[1..]);

    private static RecordKey Key(string name) => new([(byte)RecordKind.Value, .. Encoding.UTF8.GetBytes(name)]);

    private static RecordPut Put(string name, string body) => new(Key(name), Encoding.UTF8.GetBytes($"\u0001{body}"));
}
