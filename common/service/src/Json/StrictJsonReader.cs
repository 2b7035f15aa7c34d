using System.Buffers;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using Optiks.Protocol;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Parses a small JSON body value by value. The reader refuses unknown and duplicate members, values of wrong types, integers outside
/// 0..2^53-1, comments, trailing data, bad UTF-8 and more than 16 levels (docs/spec/rest.md section 1). To refuse the body, it throws a
/// <see cref="ProblemException"/> with the JSON path of the field. The reader is at a value after construction, and after each call of a
/// <c>TryNext</c> method that returns true.
/// </summary>
public ref struct StrictJsonReader
{
    /// <summary>The highest number of levels of nested objects and lists.</summary>
    public const int MaxDepth = 16;

    private const long MaxInteger = (1L << 53) - 1;
    private const int MaxQuotedName = 64;

    private Utf8JsonReader _reader;
    private Frames _frames;
    private int _depth;

    /// <summary>Creates a reader of a body, and moves to the body's only value.</summary>
    public StrictJsonReader(ReadOnlySpan<byte> body)
    {
        if (!Utf8.IsValid(body))
        {
            throw Fail("The body is not UTF-8.");
        }
        _reader = new Utf8JsonReader(body, new JsonReaderOptions { MaxDepth = MaxDepth });
        Advance();
    }

    /// <summary>Whether the current value is an object.</summary>
    public readonly bool IsObject => _reader.TokenType == JsonTokenType.StartObject;

    /// <summary>Whether the current value is a list.</summary>
    public readonly bool IsArray => _reader.TokenType == JsonTokenType.StartArray;

    /// <summary>The path of the current value, such as <c>$[3].value_b64</c>.</summary>
    public readonly string Path
    {
        get
        {
            var path = new StringBuilder("$");
            for (int i = 0; i < _depth; i++)
            {
                Frame frame = _frames[i];
                if (frame.Members is null)
                {
                    path.Append(CultureInfo.InvariantCulture, $"[{frame.Index}]");
                }
                else if (frame.Index >= 0)
                {
                    path.Append('.').Append(frame.Members.Name(frame.Index));
                }
            }
            return path.ToString();
        }
    }

    /// <summary>Enters the current value, which must be an object with these members.</summary>
    public void StartObject(JsonMembers members)
    {
        ArgumentNullException.ThrowIfNull(members);
        Expect(IsObject, "an object");
        _frames[_depth++] = new Frame { Members = members, Index = -1 };
    }

    /// <summary>
    /// Moves to the next member's value and sets the member's index in its <see cref="JsonMembers"/>. At the object's end, leaves the
    /// object and returns false.
    /// </summary>
    public bool TryNextMember(out int member)
    {
        ref Frame frame = ref _frames[_depth - 1];
        Advance();
        if (_reader.TokenType == JsonTokenType.EndObject)
        {
            _depth--;
            member = -1;
            return false;
        }
        string? escaped = _reader.ValueIsEscaped ? Text() : null;
        ReadOnlySpan<byte> name = escaped is null ? _reader.ValueSpan : Encoding.UTF8.GetBytes(escaped);
        frame.Index = -1;
        member = frame.Members!.IndexOf(name);
        if (member < 0)
        {
            throw Unknown(name);
        }
        frame.Index = member;
        if ((frame.Seen & (1UL << member)) != 0)
        {
            throw Fail("The member is given twice.");
        }
        frame.Seen |= 1UL << member;
        Advance();
        return true;
    }

    /// <summary>Enters the current value, which must be a list.</summary>
    public void StartArray()
    {
        Expect(IsArray, "a list");
        _frames[_depth++] = new Frame { Index = -1 };
    }

    /// <summary>Moves to the list's next element. At the list's end, leaves the list and returns false.</summary>
    public bool TryNextElement()
    {
        Advance();
        if (_reader.TokenType == JsonTokenType.EndArray)
        {
            _depth--;
            return false;
        }
        _frames[_depth - 1].Index++;
        return true;
    }

    /// <summary>Reads a string as UTF-8 bytes, which are part of the body or a copy.</summary>
    public ReadOnlySpan<byte> ReadText()
    {
        Expect(_reader.TokenType == JsonTokenType.String, "a string");
        return _reader.ValueIsEscaped ? Encoding.UTF8.GetBytes(Text()) : _reader.ValueSpan;
    }

    /// <summary>Reads base64url without padding.</summary>
    public byte[] ReadOctets() =>
        Base64UrlText.TryDecode(ReadText(), out byte[]? octets) ? octets : throw Fail("The string is not base64url without padding.");

    /// <summary>Reads an integer in 0..2^53-1, which must be written without sign, fraction and exponent.</summary>
    public ulong ReadInteger()
    {
        Expect(_reader.TokenType == JsonTokenType.Number, "an integer");
        if (_reader.ValueSpan.ContainsAnyExceptInRange((byte)'0', (byte)'9') || !_reader.TryGetInt64(out long value) || value > MaxInteger)
        {
            throw Fail("The number is not an integer from 0 to 2^53-1.");
        }
        return (ulong)value;
    }

    /// <summary>Reads the value of a member that must be <c>true</c> if it is present.</summary>
    public readonly bool ReadTrue()
    {
        Expect(_reader.TokenType == JsonTokenType.True, "true, or left out");
        return true;
    }

    /// <summary>Reads a UUID in its text form of 36 characters.</summary>
    public Guid ReadUuid()
    {
        ReadOnlySpan<byte> text = ReadText();
        Span<char> characters = stackalloc char[UuidText.Length];
        return text.Length == UuidText.Length && Ascii.ToUtf16(text, characters, out _) == OperationStatus.Done
            && UuidText.TryParse(characters, out Guid id)
            ? id
            : throw Fail("The string is not a UUID.");
    }

    /// <summary>Checks that nothing follows the body's value.</summary>
    public void End()
    {
        if (TryRead())
        {
            throw Fail("Data follows the value.");
        }
    }

    /// <summary>Makes an exception with a problem whose field is the current value.</summary>
    public readonly ProblemException Fail(ProblemType type, string detail) => new(new Problem(type, detail, Path));

    /// <summary>Makes an exception with a problem whose field is a member of the current value. The member may be absent.</summary>
    public readonly ProblemException FailAt(string member, ProblemType type, string detail) =>
        new(new Problem(type, detail, $"{Path}.{member}"));

    /// <summary>Makes an exception with a malformed-request problem whose field is the current value.</summary>
    public readonly ProblemException Fail(string detail) => Fail(ProblemTypes.MalformedRequest, detail);

    private readonly void Expect(bool isExpected, string what)
    {
        if (!isExpected)
        {
            throw Fail($"The value must be {what}.");
        }
    }

    private readonly ProblemException Unknown(ReadOnlySpan<byte> name)
    {
        foreach (byte c in name)
        {
            if (!char.IsAsciiLetterOrDigit((char)c) && c != '_')
            {
                return Fail("The object has an unknown member.");
            }
        }
        return name.Length is 0 or > MaxQuotedName
            ? Fail("The object has an unknown member.")
            : FailAt(Encoding.ASCII.GetString(name), ProblemTypes.MalformedRequest, "The member is unknown.");
    }

    // Returns the current string. Refuses an escaped lone surrogate, which is not text and which `Utf8JsonReader` detects only here.
    private readonly string Text()
    {
        try
        {
            return _reader.GetString()!;
        }
        catch (InvalidOperationException e)
        {
            throw new ProblemException(Fail("The string is not Unicode text.").Problem, e);
        }
    }

    private void Advance()
    {
        if (!TryRead())
        {
            throw Fail("The body is empty.");
        }
    }

    private bool TryRead()
    {
        try
        {
            return _reader.Read();
        }
        catch (JsonException e)
        {
            long line = e.LineNumber.GetValueOrDefault() + 1;
            throw new ProblemException(
                Fail(
                    $"The body is not valid JSON, or more than {MaxDepth} levels deep (line {line}, byte {e.BytePositionInLine}).").Problem,
                    e);
        }
    }

    private struct Frame
    {
        /// <summary>The members that the object may have; null if this level is a list.</summary>
        public JsonMembers? Members;

        /// <summary>The index of the current member or element, or -1 before the first of them.</summary>
        public int Index;

        public ulong Seen;
    }

    [InlineArray(MaxDepth)]
    private struct Frames
    {
        private Frame _first;
    }
}
