import { timingSafeEqual } from 'node:crypto'
import type { Context } from '../../db/context'
import type { Queries, Workspace, WorkspaceId } from '../../db/database'

/** The prefix of signed addresses. The token that follows is secret: anybody who has it can read one attachment. */
export const SIGNED_PATH = '/api/notes/attachments/'
/** An address is valid on the day on which it was made (UTC) and on the next. */
const VALID_DAYS = 2
const DAY_MS = 86_400_000
/** Hexadecimal digits of a workspace, of an attachment and of a day. */
const DIGITS = { workspace: 32, attachment: 32, day: 8 }
const TOKEN = /^[\w-]{70}$/

/** Whether a text has the form of the token in a signed address; ids are shorter. */
export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

interface Deps extends Pick<Context, 'now' | 'db'> {
  /** Returns 32 hexadecimal digits that only this server can make. */
  readonly sign: (text: string) => string
  /** Returns a workspace; throws if nothing was ever stored in it. */
  readonly findWorkspace: (db: Queries, id: WorkspaceId) => Promise<Workspace>
}

/** The attachment that a signed address shows. */
interface Signed {
  readonly workspace: WorkspaceId
  /** The id of the attachment. */
  readonly id: string
}

export type SignedAddresses = ReturnType<typeof createSignedAddresses>

/**
 * Creates the addresses that HTML carries, since an `<img>` cannot send a key: workspace, attachment and day under an
 * HMAC.
 */
export function createSignedAddresses({ now, db, sign, findWorkspace }: Deps) {
  const today = () => Math.floor(now() / DAY_MS)

  /** Reads a token; null if it is not one of ours, or no longer valid. */
  function read(token: string): Signed | null {
    const hex = isToken(token) ? Buffer.from(token, 'base64url').toString('hex') : ''
    const length = DIGITS.workspace + DIGITS.attachment + DIGITS.day
    const [content, signature] = [hex.slice(0, length), hex.slice(length)]
    const expected = sign(content)
    if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
      return null
    const age = today() - Number.parseInt(content.slice(-DIGITS.day), 16)
    if (age < 0 || age >= VALID_DAYS) return null
    const id = content
      .slice(DIGITS.workspace, DIGITS.workspace + DIGITS.attachment)
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    // Only this server signs, and it signs only ids of workspaces.
    return { workspace: content.slice(0, DIGITS.workspace) as WorkspaceId, id }
  }

  return {
    read,

    /** Makes the address of an attachment: the same all day. */
    write(workspace: WorkspaceId, id: string): string {
      const content = workspace + id.replaceAll('-', '') + today().toString(16).padStart(DIGITS.day, '0')
      return SIGNED_PATH + Buffer.from(content + sign(content), 'hex').toString('base64url')
    },

    /**
     * Finds the owner of the attachment that a path shows; `subject` replaces it where requests are counted. Returns
     * null, not a promise, for every other path.
     */
    findOwner(path: string): Promise<{ workspace: Workspace; subject: string } | null> | null {
      const signed = path.startsWith(SIGNED_PATH) ? read(path.slice(SIGNED_PATH.length)) : null
      if (!signed) return null
      const subject = sign(signed.workspace + signed.id)
      return findWorkspace(db, signed.workspace).then(
        (workspace) => ({ workspace, subject }),
        // The workspace has been erased.
        () => null,
      )
    },
  }
}
