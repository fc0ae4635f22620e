import { serveRequests } from '../../lib/limited-worker.ts'
import { renderHtml, type ShownParts } from './render.ts'

export interface RenderRequest {
  readonly markdown: string
  readonly targets: ReadonlyMap<string, string>
  readonly shown: ShownParts
}

serveRequests<RenderRequest>(({ markdown, targets, shown }) =>
  renderHtml(markdown, (target) => targets.get(target) ?? null, shown),
)
