import { keyReused, LARGE, NO_JSON, NO_OBJECT, post, type Route } from './asking'

/** What to ask of the Model Context Protocol so that it gives each answer that it can. */

const PATH = '/api/mcp'

/** A message of JSON-RPC, without a revision: one of 2025. */
export const rpc = (method: string, params: object = {}, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
export const toolCall = (name: string, args: object = {}) => rpc('tools/call', { name, arguments: args })

const createNote = (title: string) => post(PATH, toolCall('create_note', { title }))

export const MCP_ROUTES: Readonly<Record<string, Route>> = {
  'POST /api/mcp': {
    served: post(PATH, toolCall('search', { query: 'boiler' })),
    status: 200,
    others: {
      200: [
        createNote('A'),
        post(PATH, rpc('tools/list')),
        post(`${PATH}?mode=read`, rpc('tools/list')),
        post(PATH, rpc('tools/call', { name: 'nothing' })),
        post(PATH, rpc('ping'), { Origin: 'http://localhost', Host: 'localhost' }),
        post(PATH, [rpc('ping'), rpc('ping', {}, 2)]),
      ],
      202: [post(PATH, { jsonrpc: '2.0', method: 'notifications/initialized' })],
      400: [
        ...[...NO_JSON, ...NO_OBJECT, {}, { ...rpc('ping'), id: {} }].map((body) => post(PATH, body)),
        post(PATH, [rpc('ping')], { 'MCP-Protocol-Version': '2025-11-25' }),
        post(PATH, rpc('ping'), { 'MCP-Protocol-Version': '1999-01-01' }),
        post(PATH, rpc('tools/list'), { 'MCP-Protocol-Version': '2026-07-28' }),
        post(`${PATH}?mode=all`, rpc('ping')),
        post(PATH, rpc('ping'), { 'Idempotency-Key': 'ä' }),
      ],
      403: [post(PATH, rpc('ping'), { Origin: 'http://evil.example' })],
      404: [
        post(
          PATH,
          rpc('tools/fetch', {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          }),
          { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/fetch' },
        ),
      ],
      409: [keyReused(createNote('A'), toolCall('create_note', { title: 'B' }))],
      413: [post(PATH, LARGE)],
      415: [post(PATH, JSON.stringify(rpc('ping')), { 'Content-Type': 'text/plain' })],
    },
  },
}
