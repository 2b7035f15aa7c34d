using System.CommandLine;
using System.Security.Cryptography;
using Optiks.Commands;
using Optiks.Db.Keys;
using Optiks.Pkcs11;
using Optiks.Secrets;
using Optiks.Storage;

namespace Optiks.Db;

/// <summary>Implements <c>optiks-db kek</c>: manages the key-encryption keys, which wrap all stored secrets
/// (docs/operations/keys.md).</summary>
internal static class KekCommand
{
    private const string LogKeyName = "the log's key";

    public static Command Create(
        Func<ParseResult, Invocation> invocationOf, Func<string, KeyPlace> place, Option<string> trust, Option<bool> json) =>
        new("kek", "Make, add, rotate and remove the key-encryption keys, which wrap all stored secrets. Services may run.")
        {
            CreateNew(json), CreateAdd(place, trust, json), CreateList(place, trust, json), CreateStatus(invocationOf, place, trust, json),
            CreateRotate(invocationOf, place, trust, json),
            CreateRemove(invocationOf, place, trust, json),
        };

    private static Command CreateNew(Option<bool> json)
    {
        var file = new Option<string>("--out") { Description = "new file of mode 0600 for the key", HelpName = "FILE", Required = true };
        var token =
            new Option<string?>("--pkcs11")
            {
                Description =
                "make the key in a token, unless the token has it already, and write this URI to the file",
                HelpName = "URI"
            };
        var command = new Command("new", "Make a key in a file of its own, and print its id. Nothing uses it yet.") { file, token, json };
        command.SetAction(parse =>
        {
            string path = Path.GetFullPath(parse.GetValue(file)!);
            if (OutputFile.IsTaken(path))
            {
                throw new KekRefusedException($"{path} exists: keys are never overwritten.");
            }
            byte[] text = [];
            byte[] line = [];
            try
            {
                KeyId id;
                if (parse.GetValue(token) is { } uri)
                {
                    using var key = new KeyEncryptionKey(TokenCipher.OpenOrGenerate(uri), uri);
                    (id, text) = (key.Id, System.Text.Encoding.UTF8.GetBytes(uri));
                }
                else
                {
                    text = KeyEncryptionKey.GenerateText();
                    using KeyEncryptionKey key = KeyEncryptionKey.FromText(text, path);
                    id = key.Id;
                }
                line = [.. text, .. "\n"u8];
                if (!OutputFile.TryCreate(path, line, AtomicFile.PrivateMode))
                {
                    throw new KekRefusedException($"{path} exists: keys are never overwritten.");
                }
                return Print(parse, json, id, $"{id}");
            }
            finally
            {
                CryptographicOperations.ZeroMemory(text);
                CryptographicOperations.ZeroMemory(line);
            }
        });
        return command;
    }

    private static Command CreateAdd(Func<string, KeyPlace> place, Option<string> trust, Option<bool> json)
    {
        var file = new Argument<string>("FILE") { Description = "file with the key, as 'new' made it" };
        var command = new Command(
            "add",
            "Add a key to those that this host's programs know: they open what it wraps, and wrap with the old key until 'rotate'.") { file,
                json };
        command.SetAction(parse =>
        {
            string path = Path.GetFullPath(parse.GetValue(file)!);
            byte[] line = SecretFile.Read(path);
            try
            {
                KeyRing ring = place(parse.GetValue(trust)!).Ring();
                KeyId id = new KeyRingFile(ring, TokenCipher.Open).Add(line, path);
                return Print(parse, json, id, $"{ring.File} has the key {id}");
            }
            finally
            {
                CryptographicOperations.ZeroMemory(line);
            }
        });
        return command;
    }

    private static Command CreateList(Func<string, KeyPlace> place, Option<string> trust, Option<bool> json)
    {
        var command = new Command("list", "List the keys that this host's programs know, in their order. Needs no database.") { json };
        command.SetAction(parse =>
        {
            using OpenedRing keys = place(parse.GetValue(trust)!).Ring().Open();
            TextWriter output = parse.InvocationConfiguration.Output;
            if (parse.GetValue(json))
            {
                output.WriteLine(JsonLine.Write(writer => JsonText.WriteList(writer, "keys", keys.Keys.Select(key => key.Id.ToString()))));
                return ExitCodes.Success;
            }
            foreach (KeyEncryptionKey key in keys.Keys)
            {
                output.WriteLine($"{key.Id}  {key.Source}");
            }
            return ExitCodes.Success;
        });
        return command;
    }

    private static Command CreateStatus(
        Func<ParseResult, Invocation> invocationOf, Func<string, KeyPlace> place, Option<string> trust, Option<bool> json)
    {
        var command = new Command(
            "status",
            "Open everything that is wrapped, in the database and on this host, and say which key wraps it. Changes nothing; the rights of any service are enough.") { trust, json };
        command.SetAction(async (parse, cancel) =>
        {
            Invocation invocation = invocationOf(parse);
            var problems = new List<string>();
            IReadOnlyList<KeyUse> uses = await UsesAsync(invocation, place(parse.GetValue(trust)!), problems, cancel);
            if (invocation.Json)
            {
                await invocation.Output.WriteLineAsync(JsonLine.Write(writer =>
                {
                    writer.WriteStartArray("keys");
                    foreach (KeyUse use in uses)
                    {
                        writer.WriteStartObject();
                        writer.WriteString("key", use.Key.ToString());
                        writer.WriteBoolean("known", use.Source is not null);
                        JsonText.WriteList(writer, "stored", use.Stored);
                        JsonText.WriteList(writer, "bundles", use.Bundles);
                        writer.WriteEndObject();
                    }
                    writer.WriteEndArray();
                    JsonText.WriteList(writer, "problems", problems);
                }));
            }
            else
            {
                foreach (KeyUse use in uses)
                {
                    await invocation.Output.WriteLineAsync(
                        $"{use.Key}  {(use.Source is null ? "not known here; " : "")}{(use.IsNeeded ? $"wraps {string.Join(", ", use.Stored.Concat(use.Bundles))}" : "wraps nothing")}");
                }
                foreach (string problem in problems)
                {
                    await invocation.Error.WriteLineAsync(problem);
                }
            }
            return problems.Count == 0 ? ExitCodes.Success : ExitCodes.Configuration;
        });
        return command;
    }

    private static Command CreateRotate(
        Func<ParseResult, Invocation> invocationOf, Func<string, KeyPlace> place, Option<string> trust, Option<bool> json)
    {
        Option<KeyId?> to = IdOption("--to", "key to wrap with, one of those that 'list' shows; without it: the last");
        var logKeyOut =
            new Option<string?>("--log-key-out")
            {
                Description =
                $"new file for {LogKeyName}, rewrapped, if it comes from a variable or a credential",
                HelpName = "FILE"
            };
        var command = new Command(
            "rotate",
            "Rewrap everything with the newest key that was added: the secrets of periods in the database, and this host's log key. Services may run; run it on each host with a copy of the log's key. Can be stopped and repeated.")
        { to, logKeyOut, trust, json };
        command.SetAction(async (parse, cancel) =>
        {
            FailPoints.EnsureValid();
            Invocation invocation = invocationOf(parse);
            await using MaintenanceStore store = await invocation.OpenAsync(cancel);
            KekRotationResult done = await KekRotation.RunAsync(
                store, place(parse.GetValue(trust)!), parse.GetValue(to), parse.GetValue(logKeyOut), cancel);
            await invocation.Output.WriteLineAsync(invocation.Json ? Json(done) : Text(done));
            return ExitCodes.Success;
        });
        return command;
    }

    private static Command CreateRemove(
        Func<ParseResult, Invocation> invocationOf, Func<string, KeyPlace> place, Option<string> trust, Option<bool> json)
    {
        var id = new Argument<KeyId>("KEY")
        {
            Description = "its id, as 'list' shows it",
            CustomParser = result => ParseId(result.Tokens[0].Value, result.AddError),
        };
        var bundles =
            new Option<bool>("--although-bundles-need-it")
            {
                Description =
                "remove it even if bundles on this host hold secrets that only it opens: 'import-bundles' then needs it again"
            };
        var command = new Command(
            "remove",
            "Remove a key from those that this host's programs know. Refused while anything in the database or on this host needs it.")
        {
            id,
            bundles,
            trust,
            json,
        };
        command.SetAction(async (parse, cancel) =>
        {
            KeyId key = parse.GetValue(id);
            KeyPlace host = place(parse.GetValue(trust)!);
            var problems = new List<string>();
            KeyUse? use = (await UsesAsync(invocationOf(parse), host, problems, cancel)).FirstOrDefault(one => one.Key == key);
            if (use is { Stored.Count: > 0 })
            {
                throw new KekRefusedException($"The key {key} wraps {string.Join(", ", use.Stored)}: run 'optiks-db kek rotate' first.");
            }
            if (use is { Bundles.Count: > 0 } && !parse.GetValue(bundles))
            {
                throw new KekRefusedException(
                    $"The key {key} wraps copies in {string.Join(", ", use.Bundles)}: keep it until the update-task has deleted them, or give --although-bundles-need-it.");
            }
            if (problems.Count > 0)
            {
                throw new KekRefusedException($"The keys that are there do not open everything, so no key is removed: {problems[0]}");
            }
            KeyRing ring = host.Ring();
            new KeyRingFile(ring, TokenCipher.Open).Remove(key);
            return Print(parse, json, key,
                $"{ring.File} no longer has the key {key}. Keep the key with the backups, exports and older copies of the database that need it");
        });
        return command;
    }

    private static async Task<IReadOnlyList<KeyUse>> UsesAsync(
        Invocation invocation, KeyPlace place, List<string> problems, CancellationToken cancellationToken)
    {
        await using IFollowStore store = await invocation.OpenFollowAsync(cancellationToken);
        using OpenedRing keys = place.Ring().Open();
        IEnumerable<StoredSecret> secrets = StoredSecret.FindInPeriods(await store.ReadPeriodsAsync(cancellationToken))
            .Concat(StoredSecret.FindLogKey(place));
        return KeyUse.FindAll(secrets.Concat(await StoredSecret.FindInBundlesAsync(place, cancellationToken)), keys,
            place.Anchor().LogId, problems);
    }

    private static Option<KeyId?> IdOption(string name, string description) =>
        new(name)
        {
            Description = description,
            HelpName = "KEY",
            CustomParser = result => ParseId(result.Tokens[0].Value, result.AddError),
        };

    private static KeyId ParseId(string text, Action<string> refuse)
    {
        if (!KeyId.TryParse(text, out KeyId id))
        {
            refuse($"'{text}' is not the id of a key: give 16 hexadecimal digits, as 'optiks-db kek list' shows them.");
        }
        return id;
    }

    private static string Json(KekRotationResult done) => JsonLine.Write(writer =>
    {
        writer.WriteString("key", done.To.ToString());
        writer.WriteNumber("periods", done.Periods);
        writer.WriteBoolean("log_key", done.LogKey is not null);
        writer.WriteStartArray("others");
        foreach (KeyUse use in done.Others)
        {
            writer.WriteStartObject();
            writer.WriteString("key", use.Key.ToString());
            JsonText.WriteList(writer, "bundles", use.Bundles);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    });

    private static string Text(KekRotationResult done)
    {
        string anew = FormattableString.Invariant(
            $"rewrapped with {done.To}: the secrets of {done.Periods} period{(done.Periods == 1 ? "" : "s")}{(done.LogKey is null ? "" : $", and {LogKeyName} in {done.LogKey}")}");
        string others = string.Concat(done.Others.Select(use => use.IsNeeded
            ? $"\n{use.Key} is needed only by {string.Join(", ", use.Bundles)}: keep it until the update-task has deleted them"
            : $"\n{use.Key} is no longer needed here: run 'optiks-db kek remove {use.Key}' on each host, once every host that has {LogKeyName} has rotated"));
        return $"{anew}\nchecked: the secrets of all periods, and {LogKeyName} if this host has it, open with {done.To} alone{others}";
    }

    private static int Print(ParseResult parse, Option<bool> json, KeyId id, string text)
    {
        parse.InvocationConfiguration.Output.WriteLine(
            parse.GetValue(json) ? JsonLine.Write(writer => writer.WriteString("key", id.ToString())) : text);
        return ExitCodes.Success;
    }
}
