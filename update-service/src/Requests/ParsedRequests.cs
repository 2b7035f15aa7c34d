using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Requests;

/// <summary>Holds the requests of a parsed body. The body keeps all rules that can be checked without the database.</summary>
/// <param name="IsList">Whether the body is a list. If so, its answer is a list too.</param>
/// <param name="Requests">The body's elements in order. If the body is not a list, it has exactly one element.</param>
internal sealed record ParsedRequests(bool IsList, IReadOnlyList<ParsedRequest> Requests)
{
    /// <summary>
    /// Reads one request of a body. The parameter <paramref name="index"/> is the request's index in the list, or null if the body is not a
    /// list.
    /// </summary>
    public delegate ParsedRequest ReadElement<TParser>(ref TParser parser, int? index)
        where TParser : struct, allows ref struct;

    /// <summary>Reads a whole body, which is one element or a list of 1 to <see cref="ProtocolLimits.MaxList"/> elements.</summary>
    /// <param name="reader">The parser's reader, positioned at the beginning of the body.</param>
    /// <param name="parser">The parser of the elements.</param>
    /// <param name="read">The parser's method for one element.</param>
    public static ParsedRequests Read<TParser>(ref StrictJsonReader reader, ref TParser parser, ReadElement<TParser> read)
        where TParser : struct, allows ref struct
    {
        bool isList = reader.IsArray;
        ParsedRequests requests = new(isList, isList ? List(ref reader, ref parser, read) : [read(ref parser, null)]);
        reader.End();
        return requests;
    }

    private static List<ParsedRequest> List<TParser>(ref StrictJsonReader reader, ref TParser parser, ReadElement<TParser> read)
        where TParser : struct, allows ref struct
    {
        var requests = new List<ParsedRequest>();
        BoundedList list = BoundedList.Start(ref reader, ProtocolLimits.MaxList, "elements");
        while (list.TryNext(ref reader, requests.Count))
        {
            requests.Add(read(ref parser, requests.Count));
        }
        return requests;
    }
}
