using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

/// <summary>Tests the forms of usernames (docs/spec/usernames.md) with the vectors of the Python reference.</summary>
public sealed class UsernamesTests
{
    private static readonly Configuration s_caseMapped = new()
    {
        Origin = "example.com/log",
        Format = Configuration.FormatWithUsernameForm,
        UsernameForm = UsernameForm.CaseMapped,
    };

    [Fact]
    public void Vectors_of_the_reference()
    {
        var faults = new HashSet<UsernameFault>();
        using JsonDocument file = JsonDocument.Parse(
            File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "users", "usernames.json")));
        foreach (JsonElement row in file.RootElement.GetProperty("vectors").EnumerateArray())
        {
            Configuration configuration = s_caseMapped with { MaxKeyLength = row.GetProperty("max_len").GetByte() };
            UsernameFault fault = Usernames.Prepare(
                configuration, Convert.FromHexString(row.GetProperty("name").GetString()!), out byte[] form);
            string kind = row.GetProperty("kind").GetString()!;
            Assert.Equal((kind, row.GetProperty("fault").GetString()), (kind, fault.ToString().ToLowerInvariant()));
            Assert.Equal(row.TryGetProperty("form", out JsonElement expected) ? expected.GetString() : "", Convert.ToHexStringLower(form));
            Assert.True(fault == UsernameFault.Valid || fault.Sentence().Length > 0);
            _ = faults.Add(fault);
        }
        Assert.Equal(Enum.GetValues<UsernameFault>().Length, faults.Count);
    }

    [Fact]
    public void Octets_are_their_own_form()
    {
        Configuration octets = s_caseMapped with { UsernameForm = UsernameForm.Octets, MaxKeyLength = 5 };
        Assert.Equal(UsernameFault.Valid, Usernames.Prepare(octets, "ALICE"u8, out byte[] form));
        Assert.Equal("ALICE", Encoding.UTF8.GetString(form));
        Assert.Equal(UsernameFault.Valid, Usernames.Prepare(octets, [0xFF], out _));
        Assert.Equal(UsernameFault.Length, Usernames.Prepare(octets, "ALICE1"u8, out _));
        Assert.Equal(UsernameFault.Length, Usernames.Prepare(octets, [], out form));
        Assert.Empty(form);
    }
}
