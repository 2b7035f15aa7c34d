using System.Buffers;

namespace Optiks.QueryService.Answers;

/// <summary>
/// HeadedBody writes one piece behind a head straight into the response's body. Nothing reaches the response before the piece is complete, so a failure is still answered as a problem.
/// For one write of one thread.
/// </summary>
internal sealed class HeadedBody : IBufferWriter<byte>
{
    private readonly HttpResponse _response;
    private readonly byte[] _head;
    private Memory<byte> _memory;

    public HeadedBody(HttpResponse response, byte[] head)
    {
        _response = response;
        _head = head;
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        int length = _head.Length + count;
        _head.CopyTo(_memory.Span);
        _response.ContentLength = length;
        _response.BodyWriter.Advance(length);
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        _memory = _response.BodyWriter.GetMemory(_head.Length + Math.Max(sizeHint, 1));
        return _memory[_head.Length..];
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;
}
