import { createHmac, timingSafeEqual } from 'node:crypto';
import express, { type Request, type Response } from 'express';
import type { Orders } from './orders.ts';

/** Receives the undocumented webhooks of a payment provider: `POST /v1/hooks/payments`. */
export function createPaymentHook(orders: Orders, secret: string) {
  return express.Router().post('/v1/hooks/payments', express.raw({ type: '*/*' }), (req: Request, res: Response) => {
    const { body = '' } = req as { readonly body?: Buffer }; // express.raw() reads nothing from a request without a body.
    const signature = Buffer.from(req.get('x-signature') ?? '', 'hex');
    const expected = createHmac('sha256', secret).update(body).digest();
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) res.sendStatus(403);
    else res.sendStatus(orders.pay(Number(body.toString())) ? 204 : 404);
  });
}
