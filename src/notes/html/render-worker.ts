import { serveRequests } from '../../lib/limited-worker.ts'
import { renderHtml, type ShownPictures } from './render.ts'

export interface RenderRequest {
  readonly markdown: string
  readonly targets: ReadonlyMap<string, string>
  readonly shown: ShownPictures
}

serveRequests<RenderRequest>(({ markdown, targets, shown }) =>
  renderHtml(markdown, (target) => targets.get(target) ?? null, shown),
)
