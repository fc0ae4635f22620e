import { serveRequests } from '../../lib/limited-worker.ts'
import { type RenderRequest, renderCard } from './render-card.ts'

serveRequests<RenderRequest>(async (request) => JSON.stringify(await renderCard(request)))
