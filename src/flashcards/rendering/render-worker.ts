import { serveRequests } from '../../lib/limited-worker.ts'
import { type CardRequest, renderCard } from './render-card.ts'

serveRequests<CardRequest>(async (request) => JSON.stringify(await renderCard(request)))
