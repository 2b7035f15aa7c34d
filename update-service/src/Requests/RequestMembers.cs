using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// Reads the members that bodies of <c>/v1/updates</c> and of <c>/v1/users</c> have in common. Each method reads the reader's current
/// value, or refuses it with a problem that names the value's path.
/// </summary>
internal static class RequestMembers
{
    private static readonly JsonMembers s_expected = new("period", "version");

    /// <summary>Reads the request id that a caller gave.</summary>
    public static Guid ReadRequestId(this ref StrictJsonReader reader)
    {
        Guid id = reader.ReadUuid();
        return !RequestIds.IsVersion7(id) ? throw reader.Fail("The string is not a UUID of version 7.")
            : RequestIds.Time(id) == DateTimeOffset.MaxValue
                ? throw reader.Fail(ProblemTypes.RequestIdTime, "The id's time is beyond the year 9999.")
            : id;
    }

    /// <summary>Reads a key, user id or device id. The result keeps no reference to the body.</summary>
    /// <param name="reader">The reader, positioned at the member's value.</param>
    /// <param name="name">The member's name, without <c>_b64</c>.</param>
    /// <param name="isOctets">Whether the current member's name ends with <c>_b64</c>.</param>
    /// <param name="other">The value of the other one of the two members, whose name differs by <c>_b64</c>; null if that member was
    /// absent.</param>
    /// <param name="maxLength">The greatest length in bytes.</param>
    public static byte[] ReadKey(this ref StrictJsonReader reader, string name, bool isOctets, byte[]? other, int maxLength)
    {
        byte[] key = reader.ReadTextOrBase64(name, isOctets, other);
        return key.Length > 0 && key.Length <= maxLength
            ? key
            : throw reader.Fail(ProblemTypes.KeyLength, $"A {name} must have 1 to {maxLength} bytes.");
    }

    /// <summary>Reads the value of the member <c>value</c> or <c>value_b64</c>. The parameters have the same meaning as those of
    /// <see cref="ReadKey"/>.</summary>
    public static byte[] ReadValue(this ref StrictJsonReader reader, bool isOctets, byte[]? other, long maxLength)
    {
        byte[] value = reader.ReadTextOrBase64("value", isOctets, other);
        return value.Length <= maxLength
            ? value
            : throw reader.Fail(ProblemTypes.ValueLength, $"A value may have at most {maxLength} bytes.");
    }

    /// <summary>Reads the version that the caller expects to be the latest.</summary>
    public static ExpectedVersion ReadExpected(this ref StrictJsonReader reader)
    {
        ulong? period = null;
        ulong? version = null;
        reader.StartObject(s_expected);
        while (reader.TryNextMember(out int member))
        {
            if (member == 0)
            {
                period = reader.ReadInteger();
            }
            else
            {
                version = reader.ReadInteger();
            }
        }
        return new ExpectedVersion(period ?? throw reader.FailMissing("period"), version ?? throw reader.FailMissing("version"));
    }

    /// <summary>Reads a text and returns its UTF-8 bytes, or reads base64url and returns the decoded bytes.</summary>
    public static byte[] ReadTextOrOctets(this ref StrictJsonReader reader, bool isOctets) =>
        isOctets ? reader.ReadOctets() : reader.ReadText().ToArray();

    /// <summary>Creates the refusal of an object that lacks a required member. The reader must already have left the object.</summary>
    public static ProblemException FailMissing(this in StrictJsonReader reader, string name) =>
        reader.FailAt(name, ProblemTypes.MalformedRequest, "The member is missing.");

    /// <summary>Creates the refusal of an object that has neither of two members, although it must have one of them.</summary>
    public static ProblemException FailMissingOneOf(this in StrictJsonReader reader, string name) =>
        reader.FailAt(name, ProblemTypes.MalformedRequest, $"One of {name} and {name}_b64 must be given.");

    /// <summary>Creates the refusal of an object that has both of two members, although it may have only one of them.</summary>
    public static ProblemException FailBoth(this in StrictJsonReader reader, string name) =>
        reader.Fail($"Give one of {name} and {name}_b64, not both.");

    private static byte[] ReadTextOrBase64(this ref StrictJsonReader reader, string name, bool isOctets, byte[]? other) =>
        other is null ? reader.ReadTextOrOctets(isOctets) : throw reader.FailBoth(name);
}
