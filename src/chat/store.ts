import type { Queries } from '../db/database'

/** Returns the tokens that a key or an address (see payerOf) used on a day (`YYYY-MM-DD`). */
export async function getTokens(db: Queries, payer: string, day: string): Promise<number> {
  const row = await db.get<{ tokens: number }>('SELECT tokens FROM chat_tokens WHERE day = $1 AND workspace = $2', [
    day,
    payer,
  ])
  return row?.tokens ?? 0
}

/** Adds tokens to those of a day, and deletes all earlier days. */
export async function addTokens(db: Queries, payer: string, day: string, tokens: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run('DELETE FROM chat_tokens WHERE day < $1', [day])
    await tx.run(
      `INSERT INTO chat_tokens (day, workspace, tokens) VALUES ($1, $2, $3)
       ON CONFLICT (day, workspace) DO UPDATE SET tokens = chat_tokens.tokens + excluded.tokens`,
      [day, payer, tokens],
    )
  })
}
