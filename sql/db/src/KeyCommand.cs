using System.CommandLine;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Optiks.Commands;
using Optiks.Db.Keys;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.Db;

/// <summary>Implements <c>optiks-db key</c>: makes, checks and restores backups of a host's keys (docs/operations/keys.md).</summary>
internal static class KeyCommand
{
    public static Command Create(
        Func<ParseResult, Invocation> invocationOf, Func<string, KeyPlace> place, Option<string> trust, Option<bool> json) =>
        new("key", "Back up this host's keys, check a backup without showing its keys, or restore it.") { CreateBackup(place, trust, json),
            CreateCheck(invocationOf, json), CreateRestore(place, json) };

    private static Command CreateBackup(Func<string, KeyPlace> place, Option<string> trust, Option<bool> json)
    {
        var file = new Argument<string>("FILE") { Description = "file to write, which must not exist" };
        var codeOut =
            new Option<string>("--code-out")
            {
                Description =
                "new file of mode 0600 for the recovery code, which opens the backup: keep the two apart",
                HelpName = "FILE",
                Required = true
            };
        var command = new Command(
            "backup",
            "Seal the key-encryption keys, the log's key and trust.json in a file, with a new random recovery code. Needs no database; services may run.") { file, codeOut, trust, json };
        command.SetAction(parse =>
        {
            string path = Unused(parse.GetValue(file)!);
            string codePath = Unused(parse.GetValue(codeOut)!);
            using BackedUpKeys keys = BackedUpKeys.Find(place(parse.GetValue(trust)!));
            using RecoveryCode code = RecoveryCode.Generate();
            KeyBackup backup = KeyBackup.Seal(keys, keys.Anchor(), TimeProvider.System.GetUtcNow(), code);
            // The command writes the recovery code first, so that a failure does not leave a backup that nobody can open.
            if (!OutputFile.TryCreate(codePath, Encoding.ASCII.GetBytes(code.ToText() + "\n"), AtomicFile.PrivateMode)
                || !OutputFile.TryCreate(path, backup.Encode(), AtomicFile.PrivateMode))
            {
                throw new KekRefusedException($"{codePath} or {path} exists: backups and codes are never overwritten.");
            }
            Write(parse, json, backup, keys, $"{path} has the keys of {backup.Origin}, log {backup.LogId}; {codePath} opens it");
            return ExitCodes.Success;
        });
        return command;
    }

    private static Command CreateCheck(Func<ParseResult, Invocation> invocationOf, Option<bool> json)
    {
        var file = new Argument<string>("FILE") { Description = "the backup" };
        var code =
            new Option<string?>("--code")
            {
                Description =
                "file with its recovery code; without it, only the backup's own description is shown",
                HelpName = "FILE"
            };
        var database =
            new Option<bool>("--database") { Description = "also check that its keys open all secrets that are in the database now" };
        var command = new Command(
            "check",
            "Say which log a backup belongs to and, with its code, whether its contents belong together. Shows no key and writes nothing.")
        {
            file,
            code,
            database,
            json,
        };
        command.SetAction(async (parse, cancel) =>
        {
            KeyBackup backup = KeyBackup.Read(Path.GetFullPath(parse.GetValue(file)!));
            if (parse.GetValue(code) is not { } codePath)
            {
                if (parse.GetValue(database))
                {
                    throw new KekRefusedException("--database needs --code.");
                }
                Write(parse, json, backup, keys: null,
                    $"{backup.Origin}, log {backup.LogId}, made {Time(backup)}, as the backup says: not checked without the recovery code");
                return ExitCodes.Success;
            }
            using BackedUpKeys keys = OpenWith(backup, codePath);
            using OpenedRing ring = keys.OpenRing();
            keys.Check(ring);
            TrustAnchor anchor = keys.Anchor();
            if (Convert.ToHexStringLower(anchor.LogId.Span) != backup.LogId)
            {
                throw new SecretsException("The backup names another log than its trust anchor.");
            }
            int periods = parse.GetValue(database) ? await CheckDatabaseAsync(invocationOf(parse), ring, anchor, cancel) : 0;
            string more = (keys.LogKey.Length == 0
                ? "; the log's key is in a token and not in the backup"
                : "; its log key is that of the log")
                + (parse.GetValue(database)
                    ? string.Create(CultureInfo.InvariantCulture, $"; it opens the secrets of {periods} periods in the database")
                    : "");
            Write(parse, json, backup, keys,
                $"{backup.Origin}, log {backup.LogId}, made {Time(backup)}: keys {string.Join(", ", ring.Keys.Select(key => key.Id))}{more}");
            return ExitCodes.Success;
        });
        return command;
    }

    private static Command CreateRestore(Func<string, KeyPlace> place, Option<bool> json)
    {
        var file = new Argument<string>("FILE") { Description = "the backup" };
        var code = new Option<string>("--code") { Description = "file with its recovery code", HelpName = "FILE", Required = true };
        var command = new Command(
            "restore",
            "Put the keys of a backup into $OPTIKS_DATA, which must not have keys yet. Start no update-task before the database and the board are the newest copies (docs/operations/recovery.md).") { file, code, json };
        command.SetAction(parse =>
        {
            KeyBackup backup = KeyBackup.Read(Path.GetFullPath(parse.GetValue(file)!));
            using BackedUpKeys keys = OpenWith(backup, parse.GetValue(code)!);
            using (OpenedRing ring = keys.OpenRing())
            {
                keys.Check(ring);
            }
            DataFolder folder = place("").Folder.EnsureCreated();
            (string Path, byte[] Octets, UnixFileMode Mode)[] files =
                [(folder.TrustAnchor, keys.Trust, AtomicFile.PublicMode), (folder.KeyEncryptionKey, keys.Kek, AtomicFile.PrivateMode),
                    (folder.LogKey, keys.LogKey, AtomicFile.PrivateMode)];
            files = [.. files.Where(one => one.Octets.Length > 0)];
            // The command restores either all files or no file. It accepts a file that already exists with the same contents, so that the
            // operator can repeat an interrupted restore.
            foreach ((string path, byte[] octets, _) in files)
            {
                if (File.Exists(path) && !CryptographicOperations.FixedTimeEquals(File.ReadAllBytes(path), octets))
                {
                    throw new KekRefusedException(
                        $"{path} exists with other content: keys are never overwritten. If it is not needed, move it to where nobody can read it.");
                }
            }
            foreach ((string path, byte[] octets, UnixFileMode mode) in files)
            {
                _ = AtomicFile.TryCreate(path, octets, mode);
            }
            Write(parse, json, backup, keys,
                $"{folder.Root} has the keys of {backup.Origin}. Start no update-task here before the database and board/state are the newest copies: docs/operations/recovery.md");
            return ExitCodes.Success;
        });
        return command;
    }

    private static BackedUpKeys OpenWith(KeyBackup backup, string codePath)
    {
        byte[] octets = SecretFile.Read(codePath);
        try
        {
            using RecoveryCode code = RecoveryCode.TryParse(Encoding.UTF8.GetString(octets), out RecoveryCode? parsed) ? parsed
                : throw new SecretsException($"{codePath} does not hold a recovery code: 32 letters and digits, in groups of four.");
            return backup.Open(code);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
        }
    }

    private static async Task<int> CheckDatabaseAsync(
        Invocation invocation, OpenedRing ring, TrustAnchor anchor, CancellationToken cancellationToken)
    {
        await using IFollowStore store = await invocation.OpenFollowAsync(cancellationToken);
        int periods = 0;
        foreach (StoredSecret secret in StoredSecret.FindInPeriods(await store.ReadPeriodsAsync(cancellationToken)))
        {
            periods += secret.Open(ring, anchor.LogId.Span, (_, _) => 1);
        }
        return periods;
    }

    private static string Unused(string path)
    {
        string full = Path.GetFullPath(path);
        return !OutputFile.IsTaken(full) ? full : throw new KekRefusedException($"{full} exists: backups and codes are never overwritten.");
    }

    private static string Time(KeyBackup backup) => backup.Made.ToString("yyyy-MM-dd HH:mm:ss'Z'", CultureInfo.InvariantCulture);

    private static void Write(ParseResult parse, Option<bool> json, KeyBackup backup, BackedUpKeys? keys, string text) =>
        parse.InvocationConfiguration.Output.WriteLine(parse.GetValue(json)
        ? JsonLine.Write(writer =>
        {
            writer.WriteString("origin", backup.Origin);
            writer.WriteString("log_id", backup.LogId);
            writer.WriteNumber("made_ms", backup.Made.ToUnixTimeMilliseconds());
            writer.WriteBoolean("checked", keys is not null);
            if (keys is not null)
            {
                writer.WriteBoolean("has_log_key", keys.LogKey.Length > 0);
                writer.WriteBoolean("needs_token", keys.HasTokenKeys);
            }
        })
        : text);
}
