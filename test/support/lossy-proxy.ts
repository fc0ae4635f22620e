import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../bench/server'

/** A proxy before a server, which loses answers that the server has given. */
export interface LossyProxy {
  readonly port: number
  /** Loses the answer to what next contains `text`, and the connection with it, so many times. */
  lose(text: string, times: number): void
  /** How many times it has. */
  readonly lost: number
  close(): void
}

export function startLossyProxy(target: number): LossyProxy {
  const port = freePort()
  const open = new Set<Socket>()
  let wanted = { text: '', times: 0 }
  let lost = 0
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    let isLosing = false
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (data) => {
      if (!isLosing && wanted.times > 0 && data.includes(wanted.text)) {
        isLosing = true
        wanted.times--
      }
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (!isLosing) return client.write(data)
      lost++
      client.destroy()
    })
  })
  server.listen(port, '127.0.0.1')
  return {
    port,
    lose: (text, times) => {
      wanted = { text, times }
    },
    get lost() {
      return lost
    },
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
