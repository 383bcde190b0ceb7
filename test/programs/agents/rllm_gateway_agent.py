"""An agent behind rLLM's gateway. The gateway forwards no key, so the key is in the address of its worker."""

from gateway import check, run_agent, serve
from rllm_model_gateway import server
from rllm_model_gateway.client import GatewayClient
from rllm_model_gateway.models import GatewayConfig, WorkerConfig
from task import API_KEY, BASE_URL, MODEL

worker = WorkerConfig(url=BASE_URL, api_path=f"/s/{API_KEY}/v1", model_name=MODEL)
config = GatewayConfig(workers=[worker], store_worker="memory", sync_traces=True)
client = GatewayClient(serve(server.create_app(config)))
session = client.create_session()
run_agent(client.get_session_url(session))
traces = client.get_session_traces(session)
check([(trace.prompt_token_ids, trace.completion_token_ids, trace.logprobs or []) for trace in traces])
