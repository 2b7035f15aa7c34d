using Optiks.Protocol;
using Optiks.QueryService.Cosigners;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Endpoints;

/// <summary>
/// Serves the checkpoints that auditors and witnesses cosigned (docs/spec/cosigners.md section 1), which are in memory. The endpoint is
/// open to everyone.
/// </summary>
internal sealed class CosignerEndpoints
{
    private readonly CosignedCheckpoints _checkpoints;

    public CosignerEndpoints(CosignedCheckpoints checkpoints)
    {
        _checkpoints = checkpoints;
    }

    public void Map(IEndpointRouteBuilder routes) => routes.MapRead("/v1/cosignatures", CosignaturesAsync).AllowBrowsers();

    private async Task CosignaturesAsync(HttpContext context, CancellationToken cancellationToken)
    {
        AcceptHeader.Choose(context.Request, MediaTypes.Json);
        CosignaturesAnswer handout = _checkpoints.Current;
        context.Response.Headers.CacheControl = "public, max-age=1";
        if (Caching.IsKnown(context, handout.Tag))
        {
            return;
        }
        context.Response.ContentType = MediaTypes.Json;
        context.Response.ContentLength = handout.Body.Length;
        await context.Response.BodyWriter.WriteAsync(handout.Body, cancellationToken);
    }
}
