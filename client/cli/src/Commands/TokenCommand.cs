using System.CommandLine;
using System.Text;
using Optiks.ApiKeys;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tokens;

namespace Optiks.Cli.Commands;

/// <summary>
/// Creates tokens for trials, in the same way as an operator's account system creates tokens for its users. It sends no request.
/// </summary>
internal static class TokenCommand
{
    private const int DefaultSeconds = 600;
    private static readonly ApiScopes[] s_scopes = [ApiScopes.Update, ApiScopes.History, ApiScopes.Lookup, ApiScopes.Erase];

    public static Command Create(GlobalOptions options, CommandHost host) =>
        new("token", "Make tokens, as an operator's account system does for its users, for trying things out") { CreateCreate(options,
            host), CreateKeys(options, host) };

    private static Command CreateCreate(GlobalOptions options, CommandHost host)
    {
        Option<string> keyFile = KeyFile();
        var keys = new KeyArguments(ArgumentArity.ZeroOrMore, "key that the token is about; without one it allows lookups alone");
        var audience = new Option<string>("--audience")
        {
            Description = "audience of the log: the services' setting Optiks:Tokens:Audience",
            HelpName = "TEXT",
            Required = true,
        };
        var scopes = new Option<ApiScopes>("--scope")
        {
            Description = "what it allows, one or several separated by commas: update, history, lookup, erase",
            HelpName = "SCOPE,...",
            Required = true,
            CustomParser = result =>
            {
                ApiScopes all = ApiScopes.None;
                foreach (string word in result.Tokens.SelectMany(token => token.Value.Split(',')))
                {
                    ApiScopes one = ApiKeyFile.ParseScope(word);
                    if (!s_scopes.Contains(one))
                    {
                        result.AddError(
                            $"'{word}' is not a scope of tokens: there are {string.Join(", ", s_scopes.Select(ApiKeyFile.ScopeName))}.");
                    }
                    all |= one;
                }
                return all;
            },
        };
        scopes.CompletionSources.Add([.. s_scopes.Select(ApiKeyFile.ScopeName)]);
        var subject = new Option<string>("--subject")
        {
            Description = "who it is for, as rate limits count",
            HelpName = "TEXT",
            DefaultValueFactory = _ => "optiks",
        };
        var user = new Option<string?>("--user-b64") { Description = "base64url of the user's id that it is about", HelpName = "ID" };
        var lifetime = new Option<int>("--lifetime")
        {
            Description = "seconds until it expires",
            HelpName = "SECONDS",
            DefaultValueFactory = _ => DefaultSeconds,
        };
        var keyId =
            new Option<string?>("--kid")
            {
                Description =
                "id of the signing key, as the services' JWKS file has it (default: the key's thumbprint)",
                HelpName = "ID"
            };
        var output =
            new Option<string?>("--out")
            {
                Description =
                "write the token to a new file of mode 0600, for --token-file, instead of printing it",
                HelpName = "FILE"
            };
        var command = new Command("create", "Sign a token that allows its holder what it says, until it expires") { keyFile, audience,
            scopes, subject, user, lifetime, keyId, output };
        keys.AddTo(command);
        command.SetAction(parse =>
        {
            NativeLibraryCheck.Ensure();
            var grant = new TokenGrant(parse.GetValue(audience)!, parse.GetValue(subject)!, parse.GetValue(scopes), host.Time.GetUtcNow(),
                Lifetime(parse.GetValue(lifetime)))
            {
                Keys = keys.Read(parse),
                User = UserId(parse.GetValue(user)),
            };
            if (parse.GetValue(keyId) is { } id && !TokenNames.IsKeyId(id))
            {
                throw new UsageException("--kid: an id has 1 to 64 letters, digits, '-', '.', '_' and '~'.");
            }
            string token = Sign(parse.GetValue(keyFile)!, signer => signer.Sign(grant, parse.GetValue(keyId)));
            if (token.Length > ProtocolLimits.MaxToken || grant.Keys.Count > ProtocolLimits.MaxTokenKeys)
            {
                throw new UsageException(
                    $"The token would have {token.Length} characters and {grant.Keys.Count} keys: services take {ProtocolLimits.MaxToken} and {ProtocolLimits.MaxTokenKeys}.");
            }
            Print(host, options.Json(parse), grant, token, parse.GetValue(output));
            return ExitCodes.Success;
        });
        return command;
    }

    private static Command CreateKeys(GlobalOptions options, CommandHost host)
    {
        Option<string> keyFile = KeyFile();
        var command = new Command(
            "jwks", "Print the JWKS file with a private key's public key, for the services' setting Optiks:Tokens:KeysFile") { keyFile };
        command.SetAction(parse =>
        {
            NativeLibraryCheck.Ensure();
            string set = Sign(parse.GetValue(keyFile)!, signer => Encoding.UTF8.GetString(signer.KeySet()));
            if (options.Json(parse))
            {
                Report.Json(host, "valid", Reason.Valid.Name(), null, writer =>
                {
                    writer.WritePropertyName("jwks"u8);
                    writer.WriteRawValue(set);
                });
            }
            else
            {
                host.Out.WriteLine(set);
            }
            return ExitCodes.Success;
        });
        return command;
    }

    private static Option<string> KeyFile() =>
        new("--key-file")
        {
            Description = "private key of Ed25519 or P-256, in PEM (PKCS #8), mode 0600",
            HelpName = "FILE",
            Required = true,
        };

    private static string Sign(string keyFile, Func<TokenSigner, string> make)
    {
        try
        {
            using var signer = TokenSigner.ReadFile(keyFile);
            return make(signer);
        }
        catch (SecretsException e)
        {
            throw new UsageException(e.Message, e);
        }
    }

    private static void Print(CommandHost host, bool json, TokenGrant grant, string token, string? path)
    {
        if (path is not null && !OutputFile.TryCreate(path, Encoding.ASCII.GetBytes(token + "\n"), AtomicFile.PrivateMode))
        {
            throw new UsageException($"{path} exists already: choose another name with --out, or remove it.");
        }
        if (json)
        {
            Report.Json(host, "valid", Reason.Valid.Name(), null, writer =>
            {
                writer.WriteNumber("expires"u8, grant.Expires.ToUnixTimeSeconds());
                if (path is null)
                {
                    writer.WriteString("token"u8, token);
                }
            });
            return;
        }
        // Write only the token to standard output, for use as TOKEN=$(optiks token create ...).
        if (path is null)
        {
            host.Out.WriteLine(token);
        }
        host.Error.WriteLine(
            $"Expires {grant.Expires.UtcDateTime:yyyy-MM-dd HH:mm:ss}Z. Until then, anyone who has the token may do what it allows.");
    }

    private static TimeSpan Lifetime(int seconds) =>
        seconds >= 1 ? TimeSpan.FromSeconds(seconds) : throw new UsageException("--lifetime: at least one second.");

    private static ReadOnlyMemory<byte>? UserId(string? text) => text is null ? (ReadOnlyMemory<byte>?)null
        : Base64UrlText.TryDecode(text, out byte[]? octets) && octets.Length is >= 1 and <= ProtocolLimits.MaxKeyLength ? octets
        : throw new UsageException($"--user-b64: 1 to {ProtocolLimits.MaxKeyLength} octets in base64url without padding.");
}
