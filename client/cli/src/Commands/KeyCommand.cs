using System.CommandLine;
using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Cli.Commands;

/// <summary>Creates signature key pairs for trials. An MLS client uses its own key pair.</summary>
internal static class KeyCommand
{
    public static Command Create(GlobalOptions options, CommandHost host)
    {
        var output = new Option<string>("--out", "-o")
        {
            Description = "writes F.key (the private seed, mode 0600) and F.value (the public key, for update --file)",
            HelpName = "F",
            DefaultValueFactory = _ => "optiks-identity",
        };
        var generate = new Command(
            "generate", "Make an Ed25519 signature key pair, as MLS clients use it, for trying things out") { output };
        generate.SetAction(parse => Generate(host, options.Json(parse), parse.GetValue(output)!));
        return new Command("key", "Make a key pair for trying things out") { generate };
    }

    private static int Generate(CommandHost host, bool json, string path)
    {
        NativeLibraryCheck.Ensure();
        string privateFile = path + ".key";
        string publicFile = path + ".value";
        byte[] seed = RandomNumberGenerator.GetBytes(Ed25519.SeedLength);
        try
        {
            byte[] publicKey = Ed25519.PublicKey(seed);
            if (File.Exists(publicFile) || !AtomicFile.TryCreate(privateFile, seed, AtomicFile.PrivateMode))
            {
                throw new UsageException(
                    $"{(File.Exists(publicFile) ? publicFile : privateFile)} exists already: choose another name with --out. Keys are never overwritten.");
            }
            AtomicFile.Write(publicFile, publicKey, AtomicFile.PublicMode);
            if (json)
            {
                Report.Json(host, "valid", Reason.Valid.Name(), null, writer =>
                {
                    writer.WriteString("scheme"u8, "ed25519");
                    writer.WriteString("public_key_b64"u8, Base64UrlText.Encode(publicKey));
                    writer.WriteString("private_file"u8, privateFile);
                    writer.WriteString("value_file"u8, publicFile);
                });
            }
            else
            {
                host.Out.WriteLine($"public key   {Base64UrlText.Encode(publicKey)}");
                host.Out.WriteLine($"private key  {privateFile} (mode 0600, keep it)");
                host.Out.WriteLine($"next         optiks update KEY --file {publicFile} --wait");
            }
            return ExitCodes.Success;
        }
        finally
        {
            CryptographicOperations.ZeroMemory(seed);
        }
    }
}
