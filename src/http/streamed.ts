import type { Snapshot } from '../db/database'

/**
 * A body that is made while it is sent, a turn of the event loop for each chunk: other requests come between. It must be
 * read to its end or cancelled. What fails before the first chunk is thrown here.
 */
export async function streamed(chunks: AsyncGenerator<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  let next: Awaited<ReturnType<typeof chunks.next>> | null = await chunks.next()
  return new ReadableStream(
    {
      async pull(controller) {
        await new Promise<void>((resolve) => setImmediate(resolve))
        const { value, done } = next ?? (await chunks.next())
        next = null
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** How long an export may take, in milliseconds: its snapshot keeps the database's log from being tidied. */
const EXPORT_MS = 30 * 60 * 1000

interface ExportDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly snapshot: () => Promise<Snapshot>
}

/** A body that `write` makes of the database as it is at this moment; see streamed. It is broken off after half an hour. */
export function exported(
  { now, snapshot }: ExportDeps,
  write: (read: Snapshot) => AsyncIterable<Uint8Array>,
): Promise<ReadableStream<Uint8Array>> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const end = now() + EXPORT_MS
    const read = await snapshot()
    try {
      for await (const chunk of write(read)) {
        if (now() > end) throw new Error('an export took too long')
        yield chunk
      }
    } finally {
      read.close()
    }
  }
  return streamed(chunks())
}

/** The answer for a body to be stored as a file. HEAD gets the same without it. */
export async function attachment(
  request: Request,
  body: ReadableStream<Uint8Array>,
  { type, name }: { readonly type: string; readonly name: string },
): Promise<Response> {
  const isHead = request.method === 'HEAD'
  if (isHead) await body.cancel()
  // A body of none would be announced as such; one that never comes has no length, as the file has none.
  return new Response(isHead ? new ReadableStream() : body, {
    headers: {
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    },
  })
}
